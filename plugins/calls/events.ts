import { type EventDeclaration, T } from 'wamux/plugin'

interface CallBody {
  event: Record<string, unknown>
}

declare module 'wamux/plugin' {
  interface GatewayEvents {
    CallOffer: CallBody
    CallOfferNotice: CallBody
    CallAccept: CallBody
    CallReject: CallBody
    CallTerminate: CallBody
    CallRelayLatency: CallBody
    CallPreAccept: CallBody
    CallTransport: CallBody
    CallRinging: CallBody
  }
}

const Words = T.String()

const schema = T.Object({
  From: T.String({ description: 'Sender of the signal; can be used as Phone in a reply' }),
  FromAlt: T.String({ description: 'The other form, phone or LID; empty if unknown' }),
  Timestamp: T.String({ format: 'date-time' }),
  CallCreator: T.String({ description: 'The caller' }),
  CallCreatorAlt: T.String({ description: 'The other form, phone or LID; empty if unknown' }),
  CallID: Words,
  GroupJID: T.String({ description: 'Group of a group call; otherwise empty' }),
  RemotePlatform: Words,
  RemoteVersion: Words,
  Media: T.String({ description: 'For an offer: audio or video' }),
  Type: T.String({ description: 'For a notice: group' }),
  Reason: T.String({ description: 'For the end of a call: timeout, accepted_elsewhere …' }),
})

const call = (summary: string): EventDeclaration => ({ class: 'Call', summary, schema })
const step = (summary: string): EventDeclaration => ({ class: 'All', summary, schema })

/** Intermediate steps are delivered only to subscribers of All. */
export const events = {
  CallOffer: call('An incoming call'),
  CallOfferNotice: call('A group call was started'),
  CallAccept: call('A call was accepted'),
  CallReject: call('A call was rejected'),
  CallTerminate: call('A call ended or was missed'),
  CallRelayLatency: call('The parties of a call measure relay latencies'),
  CallPreAccept: step('A device is ready to accept the call'),
  CallTransport: step('The parties negotiate the media transport'),
  CallRinging: step('The call is ringing on the other side'),
}
