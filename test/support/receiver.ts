export { type Delivery, type Receiver, type Respond, startReceiver } from '../../kernel/testing/receiver.ts'
