import { expect } from 'chai'
import type { TestGateway } from '../support/gateway.ts'
import { isWhole } from '../support/run/whole.ts'
import { type Listener, startListener } from '../support/servers/listener.ts'
import { rawRequest } from '../support/servers/raw-request.ts'
import { hasHaproxy, startHaproxy } from './haproxy.ts'
import { clusterDatabase, type Pair, startPair } from './nodes.ts'

const UPGRADE = {
  Connection: 'Upgrade',
  Upgrade: 'websocket',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'Sec-WebSocket-Version': '13',
}

describe('a request target that names a host, at a node that does not serve the session', () => {
  const database = clusterDatabase()
  let pair: Pair
  let other: TestGateway
  let secret: Listener
  let token: string

  before(async function () {
    if (!database) return this.skip()
    pair = await startPair(database)
    other = pair.other
    token = pair.session.token
    secret = await startListener()
  })
  after(async () => {
    await Promise.all([pair?.stop(), secret?.close()])
  })

  /** Every form of a target that could be taken for an address, asked with and without an upgrade. */
  async function refusals(url: string): Promise<string[]> {
    const { host } = new URL(secret.url)
    const targets = ['/events/socket', '/session/status'].flatMap((path) => [
      `http://${host}${path}`,
      `//${host}${path}`,
    ])
    const answers: string[] = []
    for (const target of targets)
      for (const headers of [{ token, ...UPGRADE }, { token }])
        answers.push(await rawRequest(url, `GET ${target} HTTP/1.1`, headers))
    return answers
  }

  it('is refused, and nothing is asked of that host', async () => {
    for (const answer of await refusals(other.url)) {
      expect(answer).to.match(/^HTTP\/1.1 400 /)
      expect(answer).not.to.include('of the listener')
    }
    expect(secret.requests).to.have.length(0)
    expect((await other.get('/session/status', { token })).status, 'a path is sent on').to.equal(200)
  })

  it('is refused behind HAProxy too', async function () {
    if (!hasHaproxy && !isWhole) return this.skip()
    const haproxy = await startHaproxy(other.url)
    try {
      for (const answer of await refusals(haproxy.url)) {
        expect(answer).to.match(/^HTTP\/1.1 400 /)
        expect(answer).not.to.include('of the listener')
      }
      expect(secret.requests).to.have.length(0)
      const response = await fetch(`${haproxy.url}/session/status`, { headers: { token } })
      expect(response.status, 'a path is sent on').to.equal(200)
    } finally {
      await haproxy.stop()
    }
  })
})
