import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createNats } from './nats.ts'

/** Publishes events to NATS JetStream. */
export default definePlugin({
  name: 'output-nats',
  version: '0.1.0',
  api: '^1.3.0',
  needs: ['outputs'],
  config: ConfigSchema,
  services: () => ({ output: asFunction(createNats).singleton() }),
  contributes: { outputs: ({ output }) => output },
  consume: {
    deadLetter: { after: 3 },
    handle: (events, { outputs }) => outputs.publish('output-nats', events),
  },
  setup: ({ output }) => output.start(),
  close: ({ output }) => output.stop(),
})
