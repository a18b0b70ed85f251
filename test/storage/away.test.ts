import { expect } from 'chai'
import { everyEngine } from '../support/databases.ts'
import { createProbe } from '../support/probe.ts'
import { admin, type LinkedSession, startWorld, type World } from '../support/world.ts'
import { type PostgresProxy, startPostgresProxy } from './postgres-proxy.ts'

const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')

describe('while the database is away', () => {
  const probe = createProbe()
  let proxy: PostgresProxy
  let world: World
  let session: LinkedSession
  before(async function () {
    if (!postgres) return this.skip()
    const { databaseUrl = '', ...place } = postgres.fresh()
    proxy = await startPostgresProxy(databaseUrl)
    world = await startWorld({ databaseUrl: proxy.url, extra: [probe.plugin], ...place })
    session = await world.linked(await world.phone('Shop'))
  })
  after(async () => {
    await world?.stop()
    await proxy?.close()
  })
  afterEach(async () => {
    proxy.refuse(false)
    await session.status({ LoggedIn: true })
  })

  const call = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const url = world.gateway.url + path
    const response = await fetch(url, { method, headers, ...(body ? { body } : {}) })
    return {
      body: (await response.json()) as { success: boolean },
      retryAfter: Number(response.headers.get('retry-after')),
    }
  }

  const refusals: Record<string, () => void> = {
    'refused connections': () => {
      proxy.refuse(true)
      proxy.cut()
    },
    'connections cut in the middle of an answer': () => proxy.cutAfter(20),
  }
  for (const [name, strike] of Object.entries(refusals)) {
    it(`answers 503 with Retry-After and no word of SQL or addresses: ${name}`, async () => {
      strike()
      const text = JSON.stringify({ Phone: session.phone.account.phone, Body: 'x' })
      const answers = await Promise.all([
        call('POST', '/session/init', { ...admin }, '{}'),
        call('POST', '/session/init', { ...admin }, '{}'),
        call('POST', '/send/text', session.headers, text),
        call('GET', '/server/audit', { ...admin }),
      ])
      // A query on a connection that is made after the cut succeeds.
      const failed = answers.filter(({ body }) => !body.success)
      expect(failed).to.have.length.greaterThan(0)
      for (const { body, retryAfter } of failed) {
        expect(body).to.deep.equal({
          code: 503,
          error: 'The database does not answer; try again shortly',
          errorCode: 'STORAGE_UNAVAILABLE',
          success: false,
        })
        expect(retryAfter).to.be.greaterThan(0)
      }
    })
  }

  it('closes the link that can not store what it receives, says why, and receives it in the end', async () => {
    const ana = await world.phone('Ana')
    proxy.refuse(true)
    proxy.cut()
    const id = await ana.send(session.phone.account.phone, { Text: 'while it is away' })
    const { Reason } = await session.status({ State: 'waiting' })
    expect(Reason).to.equal('The database does not answer; try again shortly')
    proxy.refuse(false)
    const { body } = await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    expect(body['event']).to.have.nested.property('Message.conversation', 'while it is away')
    expect(probe.events('UndecryptableMessage')).to.deep.equal([])
  })
})
