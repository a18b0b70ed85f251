import { asFunction, definePlugin, type ExplainedErrorRow, type Metric } from 'wamux/plugin'
import type { OutputState, Outputs } from './contract.ts'
import { createOutputs } from './outputs.ts'
import { routes } from './routes.ts'

const metrics = ({ outputs }: { outputs: Outputs }) => {
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

export type { Output, OutputMessage, OutputState, Outputs } from './contract.ts'
export {
  type BrokerClient,
  certificates,
  defineOutput,
  type OutputConfig,
  type OutputConnection,
  type OutputDeps,
  type OutputSpec,
} from './define-output.ts'

const errors = {
  OUTPUT_REFUSED: [
    502,
    'The broker does not accept event %s: %s',
    {
      meaning: 'A message broker refused an event.',
      cause:
        'The event is larger than the broker accepts, or the broker denies the permission; the text has its answer.',
      remedy: 'Raise the limit of the broker or correct its permissions.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Publishes the event log to message brokers, which other plugins contribute. */
export default definePlugin({
  name: 'outputs',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['attachments'],
  provides: ['outputs'],
  collects: ['outputs'],
  errors,
  services: () => ({ outputs: asFunction(createOutputs).singleton() }),
  routes,
  contributes: { metrics },
})
