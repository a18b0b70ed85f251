import { node, unixSeconds } from 'wamux/messaging'
import type { GatewayContributions } from 'wamux/plugin'
import { ofCall } from './translate.ts'

type Samples = GatewayContributions['eventSamples']

/** Sample calls, for tests of webhooks. */
export const eventSamples = (): Samples => ({
  'call.offer': call('offer', [node('audio', { enc: 'opus', rate: '16000' })]),
  'call.missed': call('terminate', [], { reason: 'timeout' }),
})

function call(
  tag: string,
  content: ReturnType<typeof node>[],
  attrs: Record<string, string> = {},
): Samples[string] {
  return ({ session, person: { lid, jid }, time, id }) => {
    const about = { 'call-creator': lid, 'call-id': id, caller_pn: jid, ...attrs }
    const envelope = {
      from: lid,
      id,
      t: String(unixSeconds(time)),
      platform: 'android',
      version: '2.25.37.76',
    }
    return ofCall(session, node('call', envelope, [node(tag, about, content)]))
  }
}
