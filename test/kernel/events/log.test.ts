import { expect } from 'chai'
import { migrate } from '../../../kernel/db/migrate.ts'
import type { Database } from '../../../kernel/db/open.ts'
import { createWriter, type Writer } from '../../../kernel/db/writer.ts'
import { gatewayError } from '../../../kernel/errors.ts'
import { createBus } from '../../../kernel/events/bus.ts'
import { createConsumers } from '../../../kernel/events/consumers.ts'
import { createEventLog, type EventLog } from '../../../kernel/events/log.ts'
import { createLog } from '../../../kernel/logging/log.ts'
import type { GatewayEvents, LogEvent, NewEvent } from '../../../kernel/plugin.ts'
import type { Write } from '../../../kernel/types/storage.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault, type SessionVault } from '../../../kernel/vault/vault.ts'
import { migrations } from '../../../migrations/index.ts'
import { engines, openFresh } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { KEYS } from '../../support/gateway.ts'

const silent = createLog({ level: 'silent' })
const type = 'Thing' as keyof GatewayEvents & string
const event = (key: string, chat?: string): NewEvent => ({
  type,
  key,
  body: { key },
  ...(chat ? { chat } : {}),
})
const declared = new Map([[type, { class: 'Message', summary: '' }]])

for (const engine of engines) {
  describe(`event log on ${engine.name}`, () => {
    let database: Database
    let writer: Writer
    let log: EventLog
    let vault: SessionVault

    beforeEach(async () => {
      database = await openFresh(engine)
      await migrate(database.main, 'kernel', migrations)
      writer = createWriter(database.main)
      vault = createVault(openKeyring(KEYS))
      log = createEventLog(database, writer, declared, vault)
      const empty = {
        name: '',
        os: '',
        webhook: '',
        subscribe: '[]',
        jid: '',
        lid: '',
        network: '',
        wanted: false,
        created_at: '',
      }
      const rows = ['s', 't'].map((id) => {
        const { kid, wrapped } = vault.create(id)
        return { ...empty, id, token_mac: id, token: wrapped, key_id: kid, key: wrapped }
      })
      await writer.write([{ table: 'sessions', key: ['id'], mode: 'put', rows }])
    })
    afterEach(() => database.close())

    it('gives the same event the same id and logs it once', async () => {
      const [first] = await log.append('s', [event('a')], [])
      expect(first?.id).to.match(/^evt_[a-z2-7]{26}$/)
      expect(await log.append('s', [event('a')], [])).to.deep.equal([])
      const [other] = await log.append('t', [event('a')], [])
      expect(other?.id).not.to.equal(first?.id)
      expect(await log.after(0, 10)).to.have.length(2)
    })

    it('commits an event and the rows that belong to it together or not at all', async () => {
      const bad = { table: 'no_such_table', key: ['id'], mode: 'put' as const, rows: [{ id: 1 }] }
      const outcome = await log.append('s', [event('a')], [bad]).then(
        () => 'logged',
        () => 'refused',
      )
      expect(outcome).to.equal('refused')
      expect(await log.after(0, 10)).to.deep.equal([])
    })

    it('drops old lines, but none that a consumer has still to see', async () => {
      await log.append('s', [event('a'), event('b')], [])
      const [first] = await log.after(0, 1)
      const rows = [{ consumer: 'slow', seq: first?.seq ?? 0 }]
      await writer.write([{ table: 'cursors', key: ['consumer'], mode: 'put', rows }])
      expect(await log.prune(Date.now() + 1000)).to.equal(1)
      expect((await log.after(0, 10)).map(({ body }) => body['key'])).to.deep.equal(['b'])
    })

    it('remembers up to where it has dropped lines, and holds no reader back for it', async () => {
      await log.append('s', [event('a'), event('b')], [])
      const [first, second] = await log.after(0, 2)
      await log.append('t', [event('x')], [])
      expect(await log.bounds('s')).to.deep.equal({ dropped: 0, oldest: first?.seq, newest: second?.seq })
      expect(await log.prune(Date.now() + 1000)).to.equal(3)
      expect(await log.bounds('s')).to.deep.equal({ dropped: second?.seq, oldest: 0, newest: 0 })
      await log.append('s', [event('c')], [])
      expect(await log.prune(Date.now() + 1000)).to.equal(1)
    })

    it('reads lines by session, by class and by seq', async () => {
      await log.append('s', [event('a')], [])
      await log.append('t', [event('b')], [])
      const keys = (lines: LogEvent[]): unknown[] => lines.map(({ body }) => body['key'])
      expect(keys(await log.after(0, 10, { session: 't' }))).to.deep.equal(['b'])
      expect(keys(await log.after(0, 10, { classes: ['Message'] }))).to.deep.equal(['a', 'b'])
      expect(keys(await log.after(0, 10, { classes: ['All'] }))).to.deep.equal(['a', 'b'])
      expect(keys(await log.after(0, 10, { classes: ['Presence'] }))).to.deep.equal([])
      const [first, second] = await log.after(0, 2)
      expect(keys(await log.lines([second?.seq ?? 0, first?.seq ?? 0, 999_999]))).to.deep.equal(['a', 'b'])
    })

    it('gives a reader that keeps up what is new without a query, and the same as the table', async () => {
      const [first] = await log.append('s', [event('a')], [])
      await log.append('t', [event('b'), event('c')], [])
      let queries = 0
      database.read.on('query', () => {
        queries += 1
      })
      const newest = await log.after(first?.seq ?? 0, 10, { session: 't' })
      expect(newest.map(({ body }) => body['key'])).to.deep.equal(['b', 'c'])
      expect(queries).to.equal(0)
      expect(await log.lines(newest.map(({ seq }) => seq))).to.deep.equal(newest)
      expect(queries).to.equal(1)
    })

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

    it('loses no line to a plugin that throws', async () => {
      const bus = createBus(log, silent)
      const seen: string[] = []
      bus.translate('bad', 'session.qr', () => {
        throw new Error('broken')
      })
      bus.translate('good', 'session.qr', () => ({ events: [event('a')] }))
      bus.on('bad', type, () => Promise.reject(new Error('broken')))
      bus.on('good', type, () => void seen.push('handled'))
      expect(await bus.raise('s', 'session.qr', { code: '', expires: 1 })).to.have.length(1)
      await bus.drain()
      expect(seen).to.deep.equal(['handled'])
    })

    it('counts what a translator failed on by itself, plugin by plugin', async () => {
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
        table: 'cursors',
        key: ['consumer'],
        mode: 'put',
        rows: [{ consumer: 'x', seq: 1 }],
      }
      const raise = () => bus.raise('s', 'session.qr', { code: '', expires: 1 }, [done])
      const failure = await raise().catch((error: Error) => error)
      expect(failure).to.have.property('code', 'STORAGE_UNAVAILABLE')
      expect(await log.after(0, 10)).to.deep.equal([])
      expect(await database.read('cursors').where({ consumer: 'x' })).to.deep.equal([])
      expect(bus.failuresOf('reading')).to.equal(0)
      isAway = false
      expect(await raise()).to.have.length(2)
      expect(await database.read('cursors').where({ consumer: 'x' })).to.have.length(1)
    })

    it('shows readers what was committed though the answer to the commit was lost', async () => {
      let isLost = false
      const lossy: Writer = {
        ...writer,
        async write(...writes) {
          const rows = await writer.write(...writes)
          if (isLost) throw gatewayError('STORAGE_UNAVAILABLE')
          return rows
        },
      }
      const log = createEventLog(database, lossy, declared, vault)
      const [first] = await log.append('s', [event('a')], [])
      isLost = true
      await log.append('s', [event('b')], []).catch(() => undefined)
      isLost = false
      await log.append('s', [event('c')], [])
      const keys = (await log.after(first?.seq ?? 0, 10)).map(({ body }) => body['key'])
      expect(keys).to.deep.equal(['b', 'c'])
    })

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
  })
}
