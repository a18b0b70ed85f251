import { defineOutput } from 'wamux/outputs'
import { config } from './config.ts'
import { createMqtt } from './mqtt.ts'

/** Publishes events to an MQTT broker, and sessions to Home Assistant. */
export default defineOutput({
  name: 'output-mqtt',
  version: '0.1.0',
  api: '^1.0.0',
  config,
  pattern: 'topic',
  tlsSchemes: ['mqtts', 'wss'],
  wants: ['ownership'],
  create: createMqtt,
})
