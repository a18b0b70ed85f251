export {
  type Delivery,
  type Receiver,
  type Reply,
  type Respond,
  startReceiver,
} from '../../../plugins/sandbox/testing/receiver.ts'
