import { readRedis } from '../outputs/readers.ts'
import { testSecurity } from '../outputs/secure-suite.ts'

testSecurity({
  name: 'Redis streams',
  kind: 'redis',
  plugin: 'output-redis',
  login: (port, user, password) => ({
    URL: `rediss://${user}:${encodeURIComponent(password)}@127.0.0.1:${port}`,
  }),
  refused: /WRONGPASS/,
  reader: readRedis,
})
