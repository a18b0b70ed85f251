export {
  type Delivery,
  type Receiver,
  type Reply,
  type Respond,
  startReceiver,
} from '../../kernel/testing/receiver.ts'
