import { node } from 'wamux/messaging'
import type { GatewayContributions } from 'wamux/plugin'
import { ofChatState } from './translate.ts'

type Samples = GatewayContributions['eventSamples']

/** Sample typing states, for tests of webhooks. */
export const eventSamples = (): Samples => ({
  'presence.typing': chatState('composing'),
  'presence.recording': chatState('composing', { media: 'audio' }),
  'presence.paused': chatState('paused'),
})

function chatState(state: string, attrs: Record<string, string> = {}): Samples[string] {
  return ({ session, person, time }) =>
    ofChatState(session, node('chatstate', { from: person.jid }, [node(state, attrs)]), time)
}
