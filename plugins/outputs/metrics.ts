import type { Metric } from 'wamux/plugin'
import type { OutputState, Outputs } from './contract.ts'

export const metrics = ({ outputs }: { outputs: Outputs }) => {
  const each = (value: (state: OutputState) => number) => () =>
    outputs.states().map((state) => ({ labels: { output: state.name }, value: value(state) }))
  return {
    wamux_output_published_total: {
      type: 'counter',
      help: 'Events that a broker has confirmed, by output',
      collect: each(({ published }) => published),
    },
    wamux_output_failures_total: {
      type: 'counter',
      help: 'Tries to publish an event that have failed, by output',
      collect: each(({ failed }) => failed),
    },
    wamux_output_connected: {
      type: 'gauge',
      help: 'Whether the broker of an output is connected (1) or not (0)',
      collect: each(({ isConnected }) => (isConnected ? 1 : 0)),
    },
  } satisfies Record<string, Metric>
}
