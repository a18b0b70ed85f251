import { unixSeconds } from 'wamux/messaging'
import {
  asFunction,
  definePlugin,
  type ExplainedErrorRow,
  type GatewayContributions,
  type GatewaySignals,
  type Sessions,
} from 'wamux/plugin'
import { createActivity } from './activity.ts'
import { events, ofKeep, ofSetting, ofTimer } from './events.ts'
import { createLastMessages } from './last-messages.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { presenceRoutes } from './routes-presence.ts'

type Samples = GatewayContributions['eventSamples']

/** Sample changes of a chat, for tests of webhooks. */
const eventSamples = (deps: { sessions: Sessions }): Samples => {
  const setting =
    (name: string, actionOf: (at: number) => GatewaySignals['setting']['action']): Samples[string] =>
    ({ session, person, time }) => {
      const action = actionOf(unixSeconds(time))
      const index = [name, person.jid]
      const rest = { collection: 'regular_low', version: 1, operation: 'set', isOld: false } as const
      const data = { ...rest, index, action, time }
      return ofSetting({ name: 'setting', session: session.id, time, data }, deps)
    }
  return {
    'chat.archived': setting('archive', (at) => ({
      archiveChatAction: { archived: true, messageRange: { lastMessageTimestamp: at } },
    })),
    'chat.pinned': setting('pin_v1', () => ({ pinAction: { pinned: true } })),
    'chat.muted': setting('mute', () => ({ muteAction: { muted: true, muteEndTimestamp: -1 } })),
  }
}

const errors = {
  TIMER_INVALID: [
    400,
    'invalid timer. Use: 24h, 7d, 90d, or off',
    {
      meaning: 'The time of disappearing messages is not one that WhatsApp offers.',
      cause: 'The value is not in the list.',
      remedy: 'Send `24h`, `7d`, `90d` or `off`.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** The state of chats (pinned, archived, muted, read), disappearing messages, and typing indicators. */
export default definePlugin({
  name: 'chats',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  errors,
  needs: ['sender', 'targets'],
  migrations,
  services: () => ({
    activity: asFunction(createActivity).singleton(),
    lastMessages: asFunction(createLastMessages).singleton(),
  }),
  routes: (r) => [...routes(r), ...presenceRoutes(r)],
  events,
  translate: {
    setting: ofSetting,
    'chat.timer': ofTimer,
    async message(signal, { lastMessages, sessions }) {
      const { session, data } = signal
      if (data.right === 'none') return undefined
      const kept = await ofKeep({ session, message: data.message }, { sessions })
      return { ...kept, ...lastMessages.record(session, data.message) }
    },
    async 'message.sent'({ session, data }, { lastMessages, sessions }) {
      const kept = await ofKeep({ session, message: data.message }, { sessions })
      return { ...kept, ...lastMessages.record(session, data.message) }
    },
    'baileys.messaging-history.set': ({ session, data }, { lastMessages }) =>
      lastMessages.recordHistory(session, data.messages),
    'session.opened': ({ session }, { activity }) => {
      activity.forget(session)
      return undefined
    },
  },
  contributes: { eventSamples, sessionActivity: ({ activity }) => activity },
})
