import { readRabbit } from '../outputs/readers.ts'
import { testSecurity } from '../outputs/secure-suite.ts'

testSecurity({
  name: 'RabbitMQ',
  kind: 'rabbitmq',
  plugin: 'output-rabbitmq',
  login: (port, user, password) => ({
    URL: `amqps://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
  }),
  refused: /login was refused/i,
  reader: readRabbit,
})
