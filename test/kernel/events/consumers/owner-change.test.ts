import { expect } from 'chai'
import type { LogEvent, Ownership } from '../../../../kernel/plugin.ts'
import { everyEngine } from '../../../support/databases.ts'
import { createTestRunner } from '../../../support/events/consumers.ts'
import { event, openEventLog } from '../../../support/events/event-log.ts'
import { eventually } from '../../../support/eventually.ts'

describe('a consumer of a session that is lost and gained again', () => {
  for (const engine of everyEngine)
    it(`gets what was logged meanwhile, after a commit that failed, on ${engine.name}`, async () => {
      const opened = await openEventLog(engine)
      const { database, writer, log } = opened
      let isOwned = true
      let changeOwner: Parameters<Ownership['watch']>[0] = () => undefined
      const ownership: Ownership = {
        owns: (session) => session !== 's' || isOwned,
        watch(listener) {
          changeOwner = listener
          return () => undefined
        },
      }
      const seen: unknown[] = []
      const handle = async (events: readonly LogEvent[]) => {
        seen.push(...events.map(({ body }) => body['key']))
      }
      const consumers = createTestRunner({ ...opened, ownership })
      await consumers.start({ name: 'c', batch: 10, handle })
      const add = async (session: string, key: string) => {
        await log.append(session, [event(key)], [])
        consumers.wake()
      }
      await add('s', '1')
      await eventually(() => seen.includes('1'), 'line 1')
      // Its lease is over, and nobody has noticed yet.
      isOwned = false
      await add('s', '2')
      await add('t', '3')
      await eventually(() => seen.includes('3'), 'line 3')
      changeOwner('s', false)
      isOwned = true
      const failing = log.append('s', [event('4')], [], { signal: AbortSignal.abort(new Error('fenced')) })
      const failure = failing.catch((error: Error) => error)
      // In the very turn in which the failure is known.
      void failing.catch(() => changeOwner('s', true))
      await failure
      await add('s', '5')
      await eventually(() => seen.includes('5'), 'line 5')
      expect(seen.filter((key) => key !== '3')).to.deep.equal(['1', '2', '5'])
      await consumers.stop()
      await writer.settled()
      await database.close()
    })
})
