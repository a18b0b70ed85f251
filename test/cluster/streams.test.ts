import { expect } from 'chai'
import { WebSocket } from 'ws'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { admin, type LinkedSession } from '../support/sessions.ts'
import { clusterDatabase, type Pair, startPair } from './nodes.ts'

describe('the events of a session, on a node that does not serve it', () => {
  const database = clusterDatabase()
  let pair: Pair
  let owner: TestGateway
  let other: TestGateway
  let session: LinkedSession
  let peer: Phone
  let id: string

  before(async function () {
    if (!database) return this.skip()
    pair = await startPair(database, { subscribe: ['Message'] })
    ;({ owner, other, session } = pair)
    peer = await pair.loose.phones.create({ name: 'Peer' })
    id = (await owner.get('/session/all', admin)).data[0].Id
    expect(owner.service('ownership').owns(id)).to.equal(true)
  })
  after(() => pair?.stop())

  const receive = (Text: string) => peer.send(session.phone.account.jid, { Text })

  it('come as a stream', async () => {
    const end = new AbortController()
    const response = await fetch(`${other.url}/events/stream`, {
      headers: { token: session.token },
      signal: end.signal,
    })
    expect(response.headers.get('content-type')).to.include('text/event-stream')
    await receive('by a stream')
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += decoder.decode(chunk, { stream: true })
      if (text.includes('by a stream')) break
    }
    end.abort()
  })

  it('come over a WebSocket, whose end the owner learns of', async () => {
    const lines: string[] = []
    const socket = new WebSocket(`${other.url.replace('http', 'ws')}/events/socket`, {
      headers: { token: session.token },
    })
    socket.on('message', (data) => lines.push(String(data)))
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
    await receive('by a socket')
    await eventually(() => lines.join().includes('by a socket'), 'the message')
    socket.close()
    const ended = (node: TestGateway): boolean =>
      node.lines.some((line) => line.includes('/events/socket') && line.includes('"status":101'))
    await eventually(() => ended(owner) && ended(other), 'ended on both nodes')
  })

  it('come to a request that waits for them', async () => {
    const { data } = await other.get('/events', { token: session.token })
    const after = data.Next ?? data.Events.at(-1)?.seq
    const waiting = other.get(`/events?after=${after}&wait=20`, { token: session.token })
    await receive('by a request')
    expect(JSON.stringify((await waiting).data)).to.include('by a request')
  })

  it('are refused with Retry-After while no node serves it', async () => {
    const rows = (await other.get('/server/nodes', admin)).data as { Id: string }[]
    for (const { Id } of rows) await other.post(`/server/nodes/${Id}/drain`, {}, admin)
    const isEmpty = async (node: TestGateway): Promise<boolean> =>
      (await node.get('/server/ready')).status === 503 && !node.service('ownership').owns(id)
    await eventually(async () => (await isEmpty(owner)) && (await isEmpty(other)), 'both have drained')
    const response = await fetch(`${other.url}/events`, { headers: { token: session.token } })
    expect(response.status).to.equal(503)
    expect(Number(response.headers.get('retry-after'))).to.be.greaterThan(0)
  })
})
