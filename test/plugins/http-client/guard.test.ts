import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createLog } from '../../../config/logging/log.ts'
import { createHttpClient, type HttpClient } from '../../../plugins/http-client/http-client.ts'
import { freePort } from '../../support/servers/port.ts'

describe('guarded client', () => {
  let server: Server
  let port: number
  let calls = 0
  before(async () => {
    server = createServer((_, response) => {
      calls += 1
      response.end('ok')
    })
    await new Promise<void>((resolve) => server.listen(0, resolve))
    port = (server.address() as AddressInfo).port
  })

  const lines: string[] = []
  const log = createLog({ level: 'info', stream: { write: (line) => void lines.push(line) } })
  const made: HttpClient[] = []
  const client = (allowPrivateHosts: string[]): HttpClient => {
    const http = createHttpClient({ config: { httpsOnly: false }, settings: { allowPrivateHosts }, log })
    made.push(http)
    return http
  }
  after(async () => {
    await Promise.all(made.map((http) => http.close()))
    server.close()
  })
  const post = (http: HttpClient, host: string) =>
    http.post(`http://${host}:${port}/`, { body: '{}', headers: {}, timeoutMs: 2000 })

  const spellings = [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '0177.0.0.1',
    '0',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    'localhost',
  ]
  for (const host of spellings) {
    it(`does not reach ${host}`, async () => {
      calls = 0
      const refusal = await post(client([]), host).then(
        () => 'reached',
        (error: Error) => error.message,
      )
      expect(refusal).to.include('WAMUX_ALLOW_PRIVATE_HOSTS')
      expect(calls).to.equal(0)
    })
  }

  it('hides resolved addresses from clients, and logs them', async () => {
    const closed = await freePort()
    const urls = {
      private: [[], `http://localhost:${port}/`],
      refused: [['localhost'], `http://localhost:${closed}/`],
      noTls: [['localhost'], `https://localhost:${port}/`],
      unknown: [[], 'http://nobody.invalid/'],
    } as const
    const reasons: Record<string, string> = {}
    for (const [name, [allowed, url]] of Object.entries(urls)) {
      const http = client([...allowed])
      const posted = http.post(url, { body: '{}', headers: {}, timeoutMs: 2000 })
      reasons[name] = await posted.then(String, (error: Error) => error.message)
      const loaded = http.download(url, { maxBytes: 10, timeoutMs: 2000 })
      expect(await loaded.then(String, (error: Error) => error.message)).to.equal(reasons[name])
    }
    expect(reasons['private']).to.match(/^the host is on a private address; set WAMUX_ALLOW_PRIVATE_HOSTS/)
    expect(reasons['refused']).to.equal('the host refused the connection (ECONNREFUSED)')
    expect(reasons['noTls']).to.match(/^the TLS handshake failed/)
    expect(reasons['unknown']).to.match(/^the host name does not resolve/)
    expect(Object.values(reasons).join()).to.not.match(/127\.0\.0\.1|::1/)
    expect(lines.join('')).to.match(/localhost is on a private address \((127\.0\.0\.1|::1)\)/)
    expect(lines.join('')).to.match(/ECONNREFUSED (127\.0\.0\.1|::1)/)
  })

  it('allows exempt hosts, by range or by name', async () => {
    expect(await post(client(['127.0.0.0/8']), '127.0.0.1')).to.include({ status: 200 })
    expect(await post(client(['localhost']), 'localhost')).to.include({ status: 200 })
  })

  it('refuses plain http if only https is allowed', () => {
    const http = createHttpClient({ config: { httpsOnly: true }, settings: { allowPrivateHosts: [] }, log })
    made.push(http)
    expect(() => http.check('WebhookURL', 'http://example.com')).to.throw('Invalid WebhookURL: must be https')
  })
})
