import { asFunction, definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { createHookChain, type MessageHookChain, metrics } from './hook-chain.ts'
import { HOOKS } from './hooks.ts'

export { ask, askUsers, leaveGroup, type Question } from './ask.ts'
export { fromFamilyCasing, toFamilyCasing } from './casing.ts'
export {
  DISAPPEARING_TIMERS,
  EDIT_WINDOW_SECONDS,
  pollOptionHash,
  QUIZ,
  unixSeconds,
} from './conventions.ts'
export { type EventContext, eventJson } from './event-json.ts'
export { isPassing, networkCodeOf } from './failures.ts'
export {
  ContextInfo,
  Done,
  digits,
  file,
  Id,
  LENGTHS,
  MAX_INTEGER,
  Phone,
  Recipient,
  Sent,
  Subscribe,
  scheduleFields,
  sendFields,
  subscribeNotice,
} from './fields.ts'
export type { MessageHookChain } from './hook-chain.ts'
export type {
  Annotations,
  IncomingDecision,
  IncomingMessage,
  MessageHooks,
  OutgoingMessage,
  SendContent,
  SendDecision,
  SendOutcome,
} from './hooks.ts'
export { altOf, Jid, phoneOf } from './jid.ts'
export { askMex, type MexAnswer, type MexQuery, type MexRefusal, toMexError } from './mex.ts'
export {
  type Flow,
  type FlowButton,
  flowButton,
  flowNodes,
  flowOf,
  type Interactive,
  type InteractiveParts,
  toInteractive,
} from './native-flow.ts'
export { qrDrawing, qrPicture, qrPng, qrText } from './qr-code.ts'
export {
  CONTENT_SAMPLES,
  RECEIVED_SAMPLES,
  type ReceivedSample,
  receivedContent,
  SAMPLES,
} from './samples.ts'
export { child, children, node, type Stanza, textOf } from './stanza.ts'
export { type StatusSetting, type StatusViewers, statusViewers } from './status-viewers.ts'
export {
  type EventFacts,
  eventFactsOf,
  normalizeFilter,
  passesFilter,
  SubscriptionFilter,
} from './subscription-filter.ts'
export { type ContactCard, toVcard } from './vcard.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    /** For plugins that send messages or log incoming ones without the services of the built-in plugins. */
    messageHookChain: MessageHookChain
  }
}

/** Names of fields with a message, a file, a stanza, or a person's name. */
export const redact: readonly string[] = [
  ...['qrcode', 'linkingcode', 'creds'],
  ...['message', 'caption', 'conversation', 'plain', 'uploadresult'],
  ...['image', 'audio', 'video', 'document', 'sticker', 'media'],
  // Stanzas, under all their names in Baileys' log.
  ...['xml', 'node', 'frame', 'child', 'content', 'handshake', 'updates', 'syncaction', 'patch'],
  ...['payloadnode', 'reasonnode', 'fullerrornode', 'groupnode'],
  ...['me', 'notify', 'pushname', 'verifiedname', 'fullname', 'firstname', 'subject', 'desc'],
]

/** The messaging vocabulary that plugins share: fields, stanzas, errors, hooks, and the field names that logs redact. */
export default definePlugin({
  name: 'messaging',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  redact,
  wants: ['sessionSettings'],
  provides: ['messageHookChain'],
  collects: ['messageHooks'],
  services: () => ({ messageHookChain: asFunction(createHookChain).singleton() }),
  contributes: { metrics },
  async ready({ contributions, log }) {
    for (const { plugin, value } of contributions('messageHooks')) {
      const unknown = Object.keys(value).filter((name) => !(HOOKS as readonly string[]).includes(name))
      if (unknown.length > 0)
        log.error({ of: plugin, unknown, known: HOOKS }, 'message hooks that do not exist')
    }
  },
})
