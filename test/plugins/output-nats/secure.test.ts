import { readNats } from '../outputs/readers.ts'
import { testSecurity } from '../outputs/secure-suite.ts'

testSecurity({
  name: 'NATS JetStream',
  kind: 'nats',
  plugin: 'output-nats',
  login: (port, user, password) => ({
    URL: `tls://127.0.0.1:${port}`,
    USERNAME: user,
    PASSWORD: password,
  }),
  refused: /Authorization Violation/i,
  reader: readNats,
})
