import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createMqtt } from './mqtt.ts'

/** Publishes events to an MQTT broker, and sessions to Home Assistant. */
export default definePlugin({
  name: 'output-mqtt',
  version: '0.1.0',
  api: '^1.3.0',
  needs: ['outputs'],
  wants: ['ownership'],
  config: ConfigSchema,
  services: () => ({ output: asFunction(createMqtt).singleton() }),
  contributes: { outputs: ({ output }) => output },
  consume: {
    deadLetter: { after: 3 },
    handle: (events, { outputs }) => outputs.publish('output-mqtt', events),
  },
  setup: ({ output }) => output.start(),
  close: ({ output }) => output.stop(),
})
