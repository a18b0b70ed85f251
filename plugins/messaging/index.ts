import { definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { redact } from './redact.ts'

export {
  ContextInfo,
  Done,
  file,
  Id,
  LENGTHS,
  Phone,
  Sent,
  Subscribe,
  sendFields,
  subscribeNotice,
} from './fields.ts'
export { altOf, phoneOf } from './known-alt.ts'
export { networkCodeOf } from './network-code.ts'
export { redact } from './redact.ts'
export { bareJid, child, children, isPersonJid, node, type Stanza, textOf } from './stanza.ts'
export {
  type EventFacts,
  eventFactsOf,
  normalizeFilter,
  passesFilter,
  SubscriptionFilter,
} from './subscription-filter.ts'

/** The messaging vocabulary that plugins share: fields, stanzas, errors, and the field names that logs redact. */
export default definePlugin({
  name: 'messaging',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  redact,
})
