import { unixSeconds } from 'wamux/messaging'
import type { GatewayContributions, GatewaySignals, Sessions } from 'wamux/plugin'
import { ofSetting } from './events.ts'

type Samples = GatewayContributions['eventSamples']

/** Sample changes of a chat, for tests of webhooks. */
export const eventSamples = (deps: { sessions: Sessions }): Samples => {
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
