import { asFunction, definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { createHookChain, type MessageHookChain } from './hook-chain.ts'
import { HOOKS } from './hooks.ts'
import { metrics } from './metrics.ts'
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

declare module 'wamux/plugin' {
  interface GatewayServices {
    /** For plugins that send messages, or log those that came in, by other ways than the services of the built-in ones. */
    messageHookChain: MessageHookChain
  }
}

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
  metrics,
  async ready({ contributions, log }) {
    for (const { plugin, value } of contributions('messageHooks')) {
      const unknown = Object.keys(value).filter((name) => !(HOOKS as readonly string[]).includes(name))
      if (unknown.length > 0)
        log.error({ of: plugin, unknown, known: HOOKS }, 'message hooks that do not exist')
    }
  },
})
