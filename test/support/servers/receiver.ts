export {
  type Delivery,
  type Receiver,
  type Reply,
  type Respond,
  startReceiver,
} from '../../../config/testing/receiver.ts'
