export {
  type ReceivedDelivery,
  type Receiver,
  type ReceiverReply,
  type Respond,
  startReceiver,
} from '../../../plugins/sandbox/testing/receiver.ts'
