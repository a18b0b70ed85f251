import { expect } from 'chai'
import type { Database } from '../../../kernel/db/database.ts'
import { gatewayError } from '../../../kernel/errors.ts'
import { createBus } from '../../../kernel/events/bus.ts'
import type { EventLog } from '../../../kernel/events/log.ts'
import type { LogEvent } from '../../../kernel/types/events.ts'
import type { Write } from '../../../kernel/types/storage.ts'
import { everyEngine } from '../../support/databases.ts'
import { deferred } from '../../support/deferred.ts'
import { event, openEventLog, silent, type } from '../../support/events/event-log.ts'

for (const engine of everyEngine) {
  describe(`event bus on ${engine.name}`, () => {
    let database: Database
    let log: EventLog

    beforeEach(async () => {
      ;({ database, log } = await openEventLog(engine))
    })
    afterEach(() => database.close())

    it('runs translators and handlers in the order of the signals, however slow one is', async () => {
      const bus = createBus(log, silent)
      const seen: unknown[] = []
      let slow = true
      bus.translate('p', 'session.qr', async ({ data }) => {
        if (slow) await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
        slow = false
        return { events: [event((data as { code: string }).code)] }
      })
      bus.on('p', type, ({ body }) => void seen.push(body['key']))
      await Promise.all(['1', '2', '3'].map((code) => bus.raise('s', 'session.qr', { code, expires: 1 })))
      await bus.drain()
      expect(seen).to.deep.equal(['1', '2', '3'])
      expect((await log.after(0, 10)).map(({ body }) => body['key'])).to.deep.equal(['1', '2', '3'])
    })

    it('loses no line to a plugin that throws, and says what that plugin could not read', async () => {
      const bus = createBus(log, silent)
      const seen: string[] = []
      bus.translate(
        'bad',
        'session.qr',
        () => {
          throw new Error('broken')
        },
        'Message',
      )
      bus.translate('good', 'session.qr', () => ({ events: [event('a')] }))
      bus.on('bad', type, () => Promise.reject(new Error('broken')))
      bus.on('good', type, () => void seen.push('handled'))
      const origin = () => ({ chat: 'c', sender: 'a', id: '1', bytes: Buffer.alloc(70_000, 1) })
      const lines = await bus.raise('s', 'session.qr', { code: '', expires: 1 }, [], { origin })
      await bus.drain()
      expect(seen).to.deep.equal(['handled'])
      expect(lines.map((line) => [line.type, line.class, line.lane === log.lane('s', 'c')])).to.deep.equal([
        ['Unreadable', 'Message', true],
        [type, 'Message', false],
      ])
      const { Bytes, Timestamp: _, ...told } = (lines[0] as LogEvent).body['event'] as Record<string, unknown>
      const [Signal, Plugin, Reason] = ['session.qr', 'bad', 'broken']
      const of = { Chat: 'c', Sender: 'a', IsFromMe: false, ID: '1', Size: 70_000 }
      expect(told).to.deep.equal({ Signal, Plugin, Reason, ...of })
      expect(Buffer.from(String(Bytes), 'base64')).to.have.length(65_536)
      expect(await bus.raise('s', 'session.qr', { code: '', expires: 1 }, [], { origin })).to.deep.equal([])
    })

    it('says the same of an event that can not be written as JSON', async () => {
      const bus = createBus(log, silent)
      const circle: unknown[] = []
      circle.push(circle)
      bus.translate('circle', 'session.qr', () => ({
        events: [event('a'), { ...event('b'), body: { event: circle } }],
      }))
      bus.translate('good', 'session.qr', () => ({ events: [event('c')] }))
      const lines = await bus.raise('s', 'session.qr', { code: '', expires: 1 })
      expect(lines.map((line) => [line.type, line.body['key']])).to.deep.equal([
        ['Unreadable', undefined],
        [type, 'c'],
      ])
    })

    it('logs what no signal can be made of, with the writes that mark it as done', async () => {
      const bus = createBus(log, silent)
      bus.translate('p', 'session.qr', () => undefined)
      bus.translate('q', 'session.qr', () => undefined, 'Message')
      const done: Write = {
        table: 'consumers',
        key: ['consumer'],
        mode: 'put',
        rows: [{ consumer: 'x', seq: 1 }],
      }
      const [line] = await bus.unreadable('s', 'session.qr', new Error('cut off'), [done])
      expect(line).to.include({ type: 'Unreadable', class: 'Message' })
      expect(line?.body['event']).to.include({ Signal: 'session.qr', Plugin: '', Reason: 'cut off' })
      expect(await database.read('consumers').where({ consumer: 'x' })).to.have.length(1)
    })

    it('counts what a translator failed on on its own, plugin by plugin', async () => {
      const bus = createBus(log, silent)
      bus.translate('bad', 'session.qr', () => {
        throw new Error('broken')
      })
      await bus.raise('s', 'session.qr', { code: '', expires: 1 })
      expect([bus.failuresOf('bad'), bus.failuresOf('good')]).to.deep.equal([1, 0])
    })

    it('marks nothing as done when a translator can not read the database, and logs it when it can', async () => {
      const bus = createBus(log, silent)
      let isAway = true
      bus.translate('reading', 'session.qr', () => {
        if (isAway) throw gatewayError('STORAGE_UNAVAILABLE')
        return { events: [event('a')] }
      })
      bus.translate('other', 'session.qr', () => ({ events: [event('b')] }))
      const done: Write = {
        table: 'consumers',
        key: ['consumer'],
        mode: 'put',
        rows: [{ consumer: 'x', seq: 1 }],
      }
      const raise = () => bus.raise('s', 'session.qr', { code: '', expires: 1 }, [done])
      const failure = await raise().catch((error: Error) => error)
      expect(failure).to.have.property('code', 'STORAGE_UNAVAILABLE')
      expect(await log.after(0, 10)).to.deep.equal([])
      expect(await database.read('consumers').where({ consumer: 'x' })).to.deep.equal([])
      expect(bus.failuresOf('reading')).to.equal(0)
      isAway = false
      expect(await raise()).to.have.length(2)
      expect(await database.read('consumers').where({ consumer: 'x' })).to.have.length(1)
    })

    it('translates the next signal before the one before it is committed', async () => {
      const commit = deferred<void>()
      const slow: EventLog = {
        ...log,
        append: async (...args) => {
          await commit.promise
          return log.append(...args)
        },
      }
      const bus = createBus(slow, silent)
      const second = deferred<void>()
      bus.translate('p', 'session.qr', ({ data }) => {
        const { code } = data as { code: string }
        if (code === '2') second.resolve()
        return { events: [event(code)] }
      })
      const raised = ['1', '2'].map((code) => bus.raise('s', 'session.qr', { code, expires: 1 }))
      await second.promise
      expect(await log.after(0, 10)).to.deep.equal([])
      commit.resolve()
      await Promise.all(raised)
      expect((await log.after(0, 10)).map(({ body }) => body['key'])).to.deep.equal(['1', '2'])
    })

    it('notifies watchers in order until they stop, and after a failed commit with nothing', async () => {
      const seen: number[] = []
      let isBroken = false
      const breaking: EventLog = {
        ...log,
        append: (...args) =>
          isBroken ? Promise.reject(gatewayError('STORAGE_UNAVAILABLE')) : log.append(...args),
      }
      const bus = createBus(breaking, silent)
      bus.translate('p', 'session.qr', ({ data }) => ({
        events: [event((data as { code: string }).code)],
      }))
      const stop = bus.watch((events) => void seen.push(events.length))
      const raise = (code: string) =>
        bus.raise('s', 'session.qr', { code, expires: 1 }).catch(() => undefined)
      await raise('1')
      await raise('1')
      isBroken = true
      await raise('2')
      await bus.drain()
      expect(seen).to.deep.equal([1, 0, 0])
      stop()
      isBroken = false
      await raise('3')
      await bus.drain()
      expect(seen).to.have.length(3)
    })
  })
}
