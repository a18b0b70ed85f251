import { defineOutput } from 'wamux/outputs'
import { config } from './config.ts'
import { createRedis } from './redis.ts'

/** Publishes events to Redis streams. */
export default defineOutput({
  name: 'output-redis',
  version: '0.1.0',
  api: '^1.0.0',
  config,
  pattern: 'stream',
  tlsSchemes: ['rediss'],
  create: createRedis,
})
