import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import type { Writer } from '../../../kernel/db/writer.ts'
import type { EventLog } from '../../../kernel/events/log.ts'
import { openSessionStore, type SessionStore } from '../../../kernel/sessions/store.ts'
import { everyEngine } from '../../support/databases.ts'
import { openEventLog } from '../../support/events/event-log.ts'

const ROWS = 6_000
const PART = 1_000

for (const engine of everyEngine)
  describe(`large deletions on ${engine.name}`, () => {
    let database: Database
    let writer: Writer
    let log: EventLog
    let store: SessionStore

    beforeEach(async () => {
      const opened = await openEventLog(engine)
      ;({ database, log, writer } = opened)
      await database.main('sessions').del()
      store = await openSessionStore(database, writer, opened.vault, true)
    })
    afterEach(() => database.close())

    async function fill(session: string): Promise<void> {
      for (let at = 0; at < ROWS; at += PART) {
        const rows = Array.from({ length: PART }, (_, i) => ({
          ...{ id: `${session}${at + i}`, session, class: 'x', type: 'x', lane: 'x', time: '', logged: 0 },
          body: Buffer.alloc(100),
        }))
        await writer.write([{ table: 'events', key: ['id'], mode: 'add', rows }])
      }
      expect(await countOf(session)).to.equal(ROWS)
    }
    const countOf = async (session: string): Promise<number> => {
      const [row] = await database.read('events').where({ session }).count({ count: '*' })
      return Number(row?.['count'])
    }
    /** The numbers of the session's events when other work of the same writer was done meanwhile. */
    async function during(work: Promise<unknown>, session: string): Promise<Set<number>> {
      const seen = new Set<number>()
      let isDone = false
      void work.finally(() => {
        isDone = true
      })
      while (!isDone) seen.add(await writer.transact(() => countOf(session)))
      await work
      return seen
    }

    it('of a session with many events let other writes commit meanwhile', async () => {
      const { id } = await store.create({ name: 'many' })
      await fill(id)
      const seen = await during(store.remove(id), id)
      expect(await countOf(id)).to.equal(0)
      expect(seen.size).to.be.above(3)
    })

    it('by retention let other writes commit meanwhile', async () => {
      const { id } = await store.create({ name: 'old' })
      await fill(id)
      const seen = await during(log.prune(1), id)
      expect(await countOf(id)).to.equal(0)
      expect((await log.bounds(id)).dropped).to.be.above(ROWS - 1)
      expect(seen.size).to.be.above(3)
    })
  })
