import { expect } from 'chai'
import { openDatabase } from '../../kernel/db/engines/open.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { createPostgres, type OwnDatabase } from '../support/servers/postgres.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { type LinkedSession, linkPhone, sessionOf } from '../support/sessions.ts'
import { startNode } from './nodes.ts'
import { hasPgBouncer, type Pooler, startPgBouncer } from './pgbouncer.ts'

describe('a cluster behind PgBouncer in transaction mode', () => {
  let own: OwnDatabase
  let pooler: Pooler
  let loose: LooseNetwork
  const nodes: TestGateway[] = []
  let session: LinkedSession
  let peer: Phone

  before(async function () {
    const server = process.env['TEST_DATABASE_URL']
    if (!server || !hasPgBouncer) return this.skip()
    own = await createPostgres(server)
    pooler = await startPgBouncer(own.url)
    loose = await startNetwork()
  })
  after(async () => {
    await Promise.all(nodes.map((node) => node.stop()))
    await loose?.network.close()
    await pooler?.stop()
    await own?.drop()
  })

  it('is refused without the address of the server itself, which the error asks for', async () => {
    const refusal = await openDatabase({ url: pooler.url, dataDir: temporaryFolder(), isShared: true }).catch(
      (error: Error) => error,
    )
    expect(refusal).to.have.property('code', 'DATABASE_POOLED')
    expect(refusal).to.have.property('message').that.includes('DATABASE_DIRECT_URL')
  })

  it('links, sends and receives on every node', async () => {
    const database = { databaseUrl: pooler.url, databaseDirectUrl: own.url }
    for (const name of ['a', 'b']) nodes.push(await startNode({ name, card: loose.card, database }))
    const [a, b] = nodes as [TestGateway, TestGateway]
    session = await linkPhone(a, await loose.phones.create({ name: 'Ana' }), { subscribe: ['Message'] })
    peer = await loose.phones.create({ name: 'Peer' })
    const receiver = await startReceiver()
    await a.post('/webhook', { WebhookURL: receiver.url }, { token: session.token })
    // More rows at once than the values of one text: these statements have parameters.
    const sent = Array.from({ length: 40 }, (_, i) =>
      (i % 2 ? a : b).post(
        '/send/text',
        { Phone: peer.account.phone, Body: `${i} ${'x'.repeat(4_000)}` },
        { token: session.token },
      ),
    )
    for (const answer of await Promise.all(sent)) expect(answer, answer.error).to.include({ status: 200 })
    await eventually(() => peer.messages().length === 40, 'all on the phone')
    await peer.send(session.phone.account.jid, { Text: 'hello back' })
    await receiver.wait(({ body }) => body.includes('hello back'))
    await receiver.close()
  })

  it('takes over from a node that stops', async () => {
    const [a, b] = nodes as [TestGateway, TestGateway]
    await a.stop()
    nodes.shift()
    await sessionOf(b, session.token, session.phone).status({ LoggedIn: true })
    const sent = await b.post(
      '/send/text',
      { Phone: peer.account.phone, Body: 'after' },
      { token: session.token },
    )
    expect(sent, sent.error).to.include({ status: 200 })
  })
})
