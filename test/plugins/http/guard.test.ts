import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createHttp, type Http } from '../../../plugins/http/http.ts'

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

  const made: Http[] = []
  const client = (allowPrivateHosts: string[]): Http => {
    const http = createHttp({ config: { httpsOnly: false }, settings: { allowPrivateHosts } })
    made.push(http)
    return http
  }
  after(async () => {
    await Promise.all(made.map((http) => http.close()))
    server.close()
  })
  const post = (http: Http, host: string) =>
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

  it('reaches what the operator lets through, by range or by name', async () => {
    expect(await post(client(['127.0.0.0/8']), '127.0.0.1')).to.include({ status: 200 })
    expect(await post(client(['localhost']), 'localhost')).to.include({ status: 200 })
  })

  it('takes plain http for refused where only https is allowed', () => {
    const http = createHttp({ config: { httpsOnly: true }, settings: { allowPrivateHosts: [] } })
    made.push(http)
    expect(() => http.check('WebhookURL', 'http://example.com')).to.throw('Invalid WebhookURL: must be https')
  })
})
