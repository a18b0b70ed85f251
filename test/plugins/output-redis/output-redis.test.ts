import redis from '../../../plugins/output-redis/index.ts'
import { testOutput } from '../outputs/broker-suite.ts'
import { readRedis } from '../outputs/readers.ts'

testOutput({
  name: 'Redis streams',
  kind: 'redis',
  plugin: redis,
  url: (port) => `redis://127.0.0.1:${port}`,
  reader: readRedis,
  address: () => 'wamux:events',
  isLimited: false,
})
