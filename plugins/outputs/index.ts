import { asFunction, definePlugin } from 'wamux/plugin'
import { errors } from './errors.ts'
import { metrics } from './metrics.ts'
import { createOutputs } from './outputs.ts'
import { routes } from './routes.ts'

export type { Output, OutputMessage, OutputState, Outputs } from './contract.ts'

/** Publishes the event log to message brokers, which other plugins contribute. */
export default definePlugin({
  name: 'outputs',
  version: '0.1.0',
  api: '^1.3.0',
  wants: ['attachments'],
  provides: ['outputs'],
  collects: ['outputs'],
  errors,
  services: () => ({ outputs: asFunction(createOutputs).singleton() }),
  routes,
  metrics,
})
