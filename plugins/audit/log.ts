import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { type Backoff, backoff, createSerialQueue, gatewayError, type Kernel } from 'wamux/plugin'
import { type ChainedRow, createVerifier, DROPPED, hashOf, toChainedRow } from './chain.ts'
import type { Audit, AuditEntry } from './types.ts'

export interface AuditLog extends Audit {
  /** Resolves when the entry is stored. */
  record(entry: AuditEntry): Promise<void>
  /** Deletes rows older than `time`, and records the new beginning in the chain. */
  prune(time: Date): Promise<void>
}

/** Rows read at once by a verification. */
const BATCH = 1000
/** An arbitrary number: processes that share a PostgreSQL database append to one chain, one after the other. */
const LOCK = 7_365_001
/** Pauses while another process appends: it takes milliseconds, unless its commits or the machine are slow. */
const PAUSES: Backoff = { first: 10, most: 200, jitter: 0.5 }
/** A machine that has vanished meanwhile keeps the lock for the duration of a lease, 15 s. */
const WAIT_MS = 20_000

export function createAuditLog({ db }: Pick<Kernel<unknown>, 'db'>): AuditLog {
  const { read } = db
  const table = db.table('log')
  const queue = createSerialQueue()

  async function links(seq: number, limit: number): Promise<ChainedRow[]> {
    const rows = await read(table).where('seq', '>', seq).orderBy('seq').limit(limit)
    return rows.map(toChainedRow)
  }

  /**
   * Work in a transaction that may append. It does not wait for the lock within the transaction: all other writes of this
   * process would wait, too, and the lock's time-out would fail a call that has been handled.
   */
  function append<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    const attempt = (): Promise<{ done: T } | undefined> =>
      db.transact(async (trx) => ((await hasLock(trx)) ? { done: await work(trx) } : undefined))
    return queue.run(async () => {
      const began = performance.now()
      for (let failures = 0; performance.now() - began < WAIT_MS; failures += 1) {
        const made = await attempt()
        if (made) return made.done
        await sleep(backoff(PAUSES, failures))
      }
      throw gatewayError('STORAGE_LOCKED')
    })
  }

  async function extend(trx: Knex.Transaction, entry: AuditEntry): Promise<void> {
    const last = await trx(table).orderBy('seq', 'desc').first('seq', 'hash')
    const { actor, address, action, target, result, leaves, request } = entry
    const link = {
      seq: Number(last?.seq ?? 0) + 1,
      time: new Date().toISOString(),
      actor,
      address,
      action,
      target,
      result,
      leaves,
      request,
      before: String(last?.hash ?? ''),
    }
    await trx(table).insert({ ...link, hash: hashOf(link) })
  }

  /** Deletes the oldest rows in one transaction, for which all other writes wait; resolves with whether more are left. */
  function pruneSome(before: string): Promise<boolean> {
    return append(async (trx) => {
      const rows = await trx(table).where('time', '<', before).orderBy('seq').limit(BATCH)
      const last = rows.at(-1)
      if (!last) return false
      const { seq, hash } = toChainedRow(last)
      // Before the rows are deleted: the new row must continue the chain.
      await extend(trx, {
        actor: 'wamux',
        address: '',
        action: DROPPED,
        target: `${seq} ${hash}`,
        result: 'ok',
        leaves: '',
        request: '',
      })
      await trx(table).where('seq', '<=', seq).del()
      return rows.length === BATCH
    })
  }

  return {
    record: (entry) => append((trx) => extend(trx, entry)),

    async after(seq, limit) {
      return (await links(seq, limit)).map(({ before: _before, ...row }) => row)
    },

    async page({ after, before, isNewestFirst, limit, since, until }) {
      const rows = read(table)
        .where('seq', '>', after)
        .orderBy('seq', isNewestFirst ? 'desc' : 'asc')
        .limit(limit)
      if (before !== undefined) rows.where('seq', '<', before)
      if (since !== undefined) rows.where('time', '>=', since)
      if (until !== undefined) rows.where('time', '<', until)
      return (await rows).map(toChainedRow).map(({ before: _before, ...row }) => row)
    },

    async verify() {
      const verifier = createVerifier()
      for (let batch = await links(0, BATCH); batch.length > 0; ) {
        for (const link of batch) verifier.add(link)
        batch = await links(batch.at(-1)?.seq ?? 0, BATCH)
      }
      return verifier.result()
    },

    async prune(time) {
      while (await pruneSome(time.toISOString()));
    },
  }
}

async function hasLock(trx: Knex.Transaction): Promise<boolean> {
  if (trx.client.dialect !== 'postgresql') return true
  const { rows } = await trx.raw('SELECT pg_try_advisory_xact_lock(?) AS held', [LOCK])
  return rows[0].held
}
