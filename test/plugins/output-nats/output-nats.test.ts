import nats from '../../../plugins/output-nats/index.ts'
import { testOutput } from '../outputs/broker-suite.ts'
import { readNats } from '../outputs/readers.ts'

testOutput({
  name: 'NATS JetStream',
  kind: 'nats',
  plugin: nats,
  url: (port) => `nats://127.0.0.1:${port}`,
  reader: readNats,
  address: (type) => `wamux.Shop.${type}`,
  isIdempotent: true,
  isLimited: true,
})
