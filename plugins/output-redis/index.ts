import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createRedis } from './redis.ts'

/** Publishes events to Redis streams. */
export default definePlugin({
  name: 'output-redis',
  version: '0.1.0',
  api: '^1.3.0',
  needs: ['outputs'],
  config: ConfigSchema,
  services: () => ({ output: asFunction(createRedis).singleton() }),
  contributes: { outputs: ({ output }) => output },
  consume: {
    deadLetter: { after: 3 },
    handle: (events, { outputs }) => outputs.publish('output-redis', events),
  },
  setup: ({ output }) => output.start(),
  close: ({ output }) => output.stop(),
})
