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
  From: T.String({ description: 'Who says so; can be used as Phone in an answer' }),
  FromAlt: T.String({ description: 'The other form, phone or LID; empty when unknown' }),
  Timestamp: T.String({ format: 'date-time' }),
  CallCreator: T.String({ description: 'Who began the call' }),
  CallCreatorAlt: T.String({ description: 'The other form, phone or LID; empty when unknown' }),
  CallID: Words,
  GroupJID: T.String({ description: 'Of a group call; else empty' }),
  RemotePlatform: Words,
  RemoteVersion: Words,
  Media: T.String({ description: 'audio or video, of an offer' }),
  Type: T.String({ description: 'group, of a notice' }),
  Reason: T.String({ description: 'timeout, accepted_elsewhere …, of an end' }),
})

const call = (summary: string): EventDeclaration => ({ class: 'Call', summary, schema })
const step = (summary: string): EventDeclaration => ({ class: 'All', summary, schema })

/** The steps in between are delivered only to those who subscribe to All. */
export const events = {
  CallOffer: call('Somebody calls'),
  CallOfferNotice: call('A group call began'),
  CallAccept: call('A call was taken'),
  CallReject: call('A call was refused'),
  CallTerminate: call('A call ended, or nobody took it'),
  CallRelayLatency: call('The sides of a call look for a way to each other'),
  CallPreAccept: step('A device is ready to take the call'),
  CallTransport: step('The sides agree on how media go'),
  CallRinging: step('It rings on the other side'),
}
