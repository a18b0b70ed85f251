import { node } from 'wamux/messaging'
import { asFunction, definePlugin, type GatewayContributions } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { events } from './events.ts'
import { createSubscriptions, type Subscriptions } from './subscriptions.ts'
import { ofChatState, ofPresence } from './translate.ts'

type Samples = GatewayContributions['eventSamples']

/** Sample typing states, for tests of webhooks. */
const eventSamples = (): Samples => ({
  'presence.typing': chatState('composing'),
  'presence.recording': chatState('composing', { media: 'audio' }),
  'presence.paused': chatState('paused'),
})

function chatState(state: string, attrs: Record<string, string> = {}): Samples[string] {
  return ({ session, person, time }) =>
    ofChatState(session, node('chatstate', { from: person.jid }, [node(state, attrs)]), time)
}

declare module 'wamux/plugin' {
  interface GatewayServices {
    presenceSubscriptions: Subscriptions
  }
}

/** Events about people who are online or typing. */
export default definePlugin({
  name: 'presence',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  wants: ['contacts'],
  provides: ['presenceSubscriptions'],
  services: () => ({ presenceSubscriptions: asFunction(createSubscriptions).singleton() }),
  events,
  contributes: { eventSamples },
  translate: {
    'stanza.presence': async ({ data, session }, { sessions }) =>
      ofPresence(await sessions.byId(session), data),
    'stanza.chatstate': async ({ data, session, time }, { sessions }) =>
      ofChatState(await sessions.byId(session), data, time),
  },
  unreadable: { 'stanza.presence': 'Presence', 'stanza.chatstate': 'ChatPresence' },
  on: {
    Message: ({ session, body }, { presenceSubscriptions }) =>
      presenceSubscriptions.ensure(session, body.event),
  },
})
