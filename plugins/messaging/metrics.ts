import type { Metric, Sample } from 'wamux/plugin'
import type { MessageHookChain } from './hook-chain.ts'

export const metrics = ({ messageHookChain }: { messageHookChain: MessageHookChain }) =>
  ({
    wamux_messages_dropped_total: {
      type: 'counter',
      help: 'Messages that a hook of a plugin has dropped before they were logged',
      collect: () => byPlugin(messageHookChain.dropped),
    },
    wamux_sends_vetoed_total: {
      type: 'counter',
      help: 'Sends that a hook of a plugin has refused',
      collect: () => byPlugin(messageHookChain.vetoed),
    },
  }) satisfies Record<string, Metric>

function byPlugin(counts: ReadonlyMap<string, number>): Sample[] {
  return [...counts].map(([plugin, value]) => ({ value, labels: { plugin } }))
}
