import rabbitmq from '../../../plugins/output-rabbitmq/index.ts'
import { testOutput } from '../outputs/broker-suite.ts'
import { readRabbit } from '../outputs/readers.ts'

testOutput({
  name: 'RabbitMQ',
  kind: 'rabbitmq',
  plugin: rabbitmq,
  url: (port) => `amqp://guest:guest@127.0.0.1:${port}`,
  reader: readRabbit,
  address: (type) => `Shop.${type}`,
  isLimited: true,
})
