import { defineOutput } from 'wamux/outputs'
import { config } from './config.ts'
import { createRabbit } from './rabbit.ts'

/** Publishes events to RabbitMQ. */
export default defineOutput({
  name: 'output-rabbitmq',
  version: '0.1.0',
  api: '^1.0.0',
  config,
  pattern: 'routingKey',
  tlsSchemes: ['amqps'],
  create: createRabbit,
})
