import { defineOutput } from 'wamux/outputs'
import { config } from './config.ts'
import { createNats } from './nats.ts'

/** Publishes events to NATS JetStream. */
export default defineOutput({
  name: 'output-nats',
  version: '0.1.0',
  api: '^1.0.0',
  config,
  pattern: 'subject',
  create: createNats,
})
