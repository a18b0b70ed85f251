import { request } from 'node:http'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import type { TestGateway } from '../support/gateway.ts'
import { admin } from '../support/sessions.ts'
import { clusterDatabase, type Pair, startPair } from './nodes.ts'

/** An address of this machine that no node has. */
const CLIENT = '127.0.0.2'

describe('the address of a client whose request another node passes on', () => {
  const database = clusterDatabase()
  let pair: Pair
  let owner: TestGateway
  let other: TestGateway
  let token: string

  before(async function () {
    if (!database) return this.skip()
    pair = await startPair(database)
    ;({ owner, other } = pair)
    token = pair.session.token
  })
  after(() => pair?.stop())

  function post(path: string, headers: Record<string, string>): Promise<number> {
    const { port } = new URL(other.url)
    return new Promise((resolve, reject) => {
      const asking = request({
        port,
        path,
        method: 'POST',
        host: '127.0.0.1',
        localAddress: CLIENT,
        headers: { 'content-type': 'application/json', ...headers },
      })
      asking.once('response', (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0))
      })
      asking.once('error', reject)
      asking.end(JSON.stringify({ WebhookURL: '' }))
    })
  }
  const rows = async (): Promise<{ Action: string; Address: string }[]> =>
    (await owner.get('/server/audit?limit=1000', admin)).data.Rows

  it('is that of the client in the audit log', async () => {
    expect(await post('/webhook', { token })).to.equal(200)
    expect((await rows()).filter(({ Action }) => Action === 'webhook.set')).to.have.length(1)
    expect((await rows()).at(-1)).to.include({ Action: 'webhook.set', Address: CLIENT })
  })

  it('is not taken from a client that makes the header up', async () => {
    const forged = { token, 'x-wamux-client': `203.0.113.7,${'A'.repeat(43)}` }
    expect(await post('/webhook', forged)).to.equal(200)
    expect((await rows()).at(-1)).to.include({ Address: CLIENT })
  })

  it('does not keep a WebSocket from being opened', async () => {
    const socket = new WebSocket(`${other.url.replace('http', 'ws')}/events/socket`, {
      headers: { token },
      localAddress: CLIENT,
    })
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    socket.close()
  })
})
