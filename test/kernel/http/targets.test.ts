import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'
import { rawRequest } from '../../support/servers/raw-request.ts'

let calls = 0

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.get('/probe', {
      summary: 'Counts its calls',
      access: 'public',
      ignoresUnknown: true,
      handle: async () => {
        calls += 1
        return {}
      },
    }),
  ],
})

describe('request targets', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }] })
  })
  after(() => gateway.stop())

  const upgrade = {
    Connection: 'Upgrade',
    Upgrade: 'websocket',
    'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version': '13',
  }
  const refused = [
    'GET http://other.example/probe HTTP/1.1',
    'GET HTTP://127.0.0.1/probe HTTP/1.1',
    'GET //other.example/probe HTTP/1.1',
    'GET //probe HTTP/1.1',
    'GET /\\other.example/probe HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET /other/../probe HTTP/1.1',
    'GET /./probe HTTP/1.1',
    'GET /other/%2e%2e/probe HTTP/1.1',
    'GET /other/.%2E/probe HTTP/1.1',
    'GET /probe/%2e HTTP/1.1',
    'GET /probe/..?a=1 HTTP/1.1',
    'GET /other/..\\\\probe HTTP/1.1',
  ]
  for (const line of refused) {
    it(`that are no path are refused with 400: ${line}`, async () => {
      calls = 0
      for (const headers of [{}, upgrade]) {
        const answer = await rawRequest(gateway.url, line, headers)
        expect(answer).to.match(/^HTTP\/1.1 400 /)
        expect(answer).to.include('"errorCode":"TARGET_INVALID"')
      }
      expect(calls).to.equal(0)
    })
  }

  it('of CONNECT are not answered', async () => {
    expect(await rawRequest(gateway.url, 'CONNECT other.example:443 HTTP/1.1')).to.equal('')
  })

  it('that are paths are served', async () => {
    calls = 0
    expect(await rawRequest(gateway.url, 'GET /probe?a=http://other.example HTTP/1.1')).to.match(
      /^HTTP\/1.1 200 /,
    )
    expect(calls).to.equal(1)
  })
})
