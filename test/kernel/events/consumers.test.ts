import { expect } from 'chai'
import type { Database } from '../../../kernel/db/open.ts'
import type { Writer } from '../../../kernel/db/writer.ts'
import { createConsumers } from '../../../kernel/events/consumers.ts'
import type { EventLog } from '../../../kernel/events/log.ts'
import type { LogEvent } from '../../../kernel/plugin.ts'
import type { Write } from '../../../kernel/types/storage.ts'
import { engines } from '../../support/databases.ts'
import { deferred } from '../../support/deferred.ts'
import { eventually } from '../../support/eventually.ts'
import { event, openEventLog, silent } from './open-log.ts'

for (const engine of engines) {
  describe(`consumers on ${engine.name}`, () => {
    let database: Database
    let writer: Writer
    let log: EventLog

    beforeEach(async () => {
      ;({ database, writer, log } = await openEventLog(engine))
    })
    afterEach(() => database.close())

    it('shows every line to a consumer at least once, over failures and restarts', async () => {
      const seen: unknown[] = []
      let failures = 2
      const consume = async (events: readonly LogEvent[]) => {
        if (failures-- > 0) throw new Error('not now')
        seen.push(...events.map(({ body }) => body['key']))
      }
      const shown = (count: number, wake: () => void) =>
        eventually(() => {
          wake()
          return seen.length >= count
        }, `shown ${count} lines`)
      const first = createConsumers(database, writer, log, silent)
      await first.start({ name: 'c', batch: 2, handle: consume })
      await log.append(
        's',
        ['1', '2', '3'].map((key) => event(key)),
        [],
      )
      await shown(3, first.wake)
      await first.stop()
      await log.append('s', [event('4')], [])
      const second = createConsumers(database, writer, log, silent)
      await second.start({ name: 'c', batch: 2, handle: consume })
      await shown(4, second.wake)
      await second.stop()
      expect(seen).to.deep.equal(['1', '2', '3', '4'])
    })

    it('starts a new consumer at the end of the log', async () => {
      await log.append('s', [event('old')], [])
      const seen = deferred<unknown[]>()
      const consumers = createConsumers(database, writer, log, silent)
      const handle = async (events: readonly LogEvent[]) =>
        seen.resolve(events.map(({ body }) => body['key']))
      await consumers.start({ name: 'c', batch: 10, handle })
      await log.append('s', [event('new')], [])
      consumers.wake()
      expect(await seen.promise).to.deep.equal(['new'])
      await consumers.stop()
    })

    it('commits the writes of a batch together with its cursor', async () => {
      const row: Write = {
        table: 'cursors',
        key: ['consumer'],
        mode: 'put',
        rows: [{ consumer: 'x', seq: 7 }],
      }
      const handled = deferred<number>()
      const consumers = createConsumers(database, writer, log, silent)
      const handle = async (events: readonly LogEvent[]) => {
        handled.resolve(events[0]?.seq ?? 0)
        return [row]
      }
      await consumers.start({ name: 'c', batch: 10, handle })
      await log.append('s', [event('a')], [])
      consumers.wake()
      const seq = await handled.promise
      await consumers.stop()
      const cursors = await database.read('cursors').whereIn('consumer', ['c', 'x']).orderBy('consumer')
      expect(cursors.map((one) => Number(one.seq))).to.deep.equal([seq, 7])
    })
  })
}
