import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createRabbit } from './rabbit.ts'

/** Publishes events to RabbitMQ. */
export default definePlugin({
  name: 'output-rabbitmq',
  version: '0.1.0',
  api: '^1.3.0',
  needs: ['outputs'],
  config: ConfigSchema,
  services: () => ({ output: asFunction(createRabbit).singleton() }),
  contributes: { outputs: ({ output }) => output },
  consume: {
    deadLetter: { after: 3 },
    handle: (events, { outputs }) => outputs.publish('output-rabbitmq', events),
  },
  setup: ({ output }) => output.start(),
  close: ({ output }) => output.stop(),
})
