import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

interface Storage {
  Rows: number
  Bytes: number
  Tables: { Table: string; Rows: number; Bytes: number }[]
}

for (const engine of engines)
  describe(`what is stored of a session, on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    before(async () => {
      world = await startWorld({}, engine)
      session = await world.linked(await world.phone('Shop'))
    })
    after(() => world.stop())

    const read = async (of: LinkedSession = session): Promise<Storage> =>
      (await of.get('/session/storage')).data
    const eventsOf = ({ Tables }: Storage) =>
      Tables.find(({ Table }) => Table === 'events') ?? { Rows: 0, Bytes: 0 }

    it('is measured by table, those with most bytes first, with its sum', async () => {
      const { Rows, Bytes, Tables } = await read()
      expect(Tables.map(({ Table }) => Table)).to.include.members([
        'events',
        'baileys_keys',
        'session_history',
      ])
      expect(Rows).to.equal(Tables.reduce((sum, one) => sum + one.Rows, 0))
      expect(Bytes).to.equal(Tables.reduce((sum, one) => sum + one.Bytes, 0))
      const sizes = Tables.map((one) => one.Bytes)
      expect(sizes).to.deep.equal([...sizes].sort((a, b) => b - a))
      for (const { Rows: rows, Bytes: bytes } of Tables) expect(Math.min(rows, bytes)).to.be.greaterThan(0)
    })

    it('grows with what arrives for it, and not with what arrives for others', async () => {
      const other = await world.linked(await world.phone('Other'))
      const before = { own: eventsOf(await read()), other: eventsOf(await read(other)) }
      const ana = await world.phone('Ana')
      const size = 15_000
      // Not to be compressed, and more than what a link logs late.
      const text = randomBytes(size).toString('base64')
      await ana.send(session.phone.account.phone, { Text: text })
      await eventually(
        async () => eventsOf(await read()).Bytes > before.own.Bytes + size,
        'the message is counted',
      )
      expect(eventsOf(await read()).Rows).to.be.greaterThan(before.own.Rows)
      expect(eventsOf(await read(other)).Bytes).to.be.lessThan(before.other.Bytes + size)
    })

    it('is for its own token', async () => {
      const { status, errorCode } = await world.gateway.get('/session/storage', { token: 'wrong' })
      expect({ status, errorCode }).to.deep.equal({ status: 401, errorCode: 'TOKEN_INVALID' })
    })
  })
