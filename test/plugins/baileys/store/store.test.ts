import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import knex, { type Knex } from 'knex'
import { temporaryFolder } from '../../../support/databases.ts'
import { eventsOf } from '../../../support/events/events.ts'
import { eventually } from '../../../support/eventually.ts'
import { startWorld, type World } from '../../../support/world.ts'

const ACK_MS = 30_000

describe('store', () => {
  let world: World
  let database: Knex
  before(async () => {
    const dataDir = temporaryFolder()
    world = await startWorld({ dataDir, config: { baileys: { ackTimeoutMs: ACK_MS } } })
    const connection = { filename: join(dataDir, 'wamux.sqlite') }
    database = knex({ client: 'sqlite3', connection, useNullAsDefault: true })
  })
  after(async () => {
    await database.destroy()
    await world.stop()
  })

  it('sends no message before it is committed', async () => {
    const session = await world.linked(await world.phone('Caio'))
    const dora = await world.phone('Dora')
    const received = dora.wait(({ raw }) => raw.extendedTextMessage?.text === 'held').then(() => 'received')
    await session.post('/send/text', { Phone: dora.account.phone, Body: 'before' })
    // Another process that writes: the gateway's commit waits for it.
    const other = await database.client.acquireConnection()
    await database.raw('BEGIN IMMEDIATE').connection(other)
    const answer = session.post('/send/text', { Phone: dora.account.phone, Body: 'held' })
    expect(await Promise.race([received, pause(1_000, 'not received')])).to.equal('not received')
    await database.raw('COMMIT').connection(other)
    database.client.releaseConnection(other)
    expect(await answer).to.include({ status: 200 })
    expect(await received).to.equal('received')
  })

  it('stores no more for a long conversation than for a short one', async () => {
    const session = await world.linked(await world.phone('Eva'))
    const finn = await world.phone('Finn')
    const events = await eventsOf(session)
    const talk = async (rounds: number): Promise<void> => {
      for (let round = 0; round < rounds; round += 1) {
        const { data } = await session.post('/send/text', { Phone: finn.account.phone, Body: `${round}` })
        await finn.wait(({ id }) => id === data.Id)
        const answer = await finn.send(session.phone.account.phone, { Text: `re ${round}` })
        await events.wait('Message', ({ Info }) => Info.ID === answer)
      }
    }
    const stored = async (): Promise<number> => {
      const [row] = await database('baileys_keys')
        .where({ type: 'session' })
        .max({ bytes: database.raw('length(value)') })
      return Number(row?.bytes)
    }
    await talk(8)
    const short = await stored()
    await talk(12)
    expect(await stored()).to.be.within(short - 50, short + 50)
    await events.close()
  })

  it('sends no message whose key can not be stored, fails the request at once, and sends it on the next link', async () => {
    const session = await world.linked(await world.phone('Ana'))
    const bea = await world.phone('Bea')
    const message = (Body: string) => ({ Phone: bea.account.phone, Body, Id: `ID-${Body}` })
    await session.post('/send/text', message('before'))
    // Only ratchets: another key that happens to be stored meanwhile would end the link while the message is on its way.
    await database.raw(
      "CREATE TRIGGER broken BEFORE INSERT ON baileys_keys WHEN NEW.type = 'session' BEGIN SELECT RAISE(ABORT, 'broken'); END",
    )
    const started = Date.now()
    expect(await session.post('/send/text', message('meanwhile'))).to.include({
      status: 500,
      error: 'Internal error',
    })
    // Not after the time in which the network has to acknowledge.
    expect(Date.now() - started, 'milliseconds').to.be.lessThan(ACK_MS)
    await database.raw('DROP TRIGGER broken')
    await session.status({ LoggedIn: true })
    // The next link sends it on its own; until then a request with the same Id is refused.
    const repeated = await eventually(async () => {
      const answer = await session.post('/send/text', message('meanwhile'))
      return answer.status !== 409 && answer
    }, 'answered')
    expect(repeated).to.include({ status: 200 })
    expect(await session.post('/send/text', message('after'))).to.include({ status: 200 })
    await bea.wait(({ raw }) => raw.extendedTextMessage?.text === 'after')
    expect(bea.messages().map(({ raw }) => raw.extendedTextMessage?.text)).to.deep.equal([
      'before',
      'meanwhile',
      'after',
    ])
    expect(bea.failures).to.deep.equal([])
  })
})
