import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { Database } from '../db/database.ts'
import { createKnownRows } from '../db/known-rows.ts'
import { deleteInSlices, tablesOfSession } from '../db/slices.ts'
import type { Writer } from '../db/writer.ts'
import { gatewayError } from '../errors.ts'
import type { NewSession } from '../types/session.ts'
import type { Row } from '../types/storage.ts'
import type { SessionVault } from '../vault/vault.ts'
import { type Ended, endedOf, fromRow, type SessionRow, secretsOf, tokenOf, toRow } from './session-row.ts'
import { bare, createSessionTokens, isWritable } from './tokens.ts'

export interface SessionStore {
  /** Rejects SESSION_EXISTS when the token is in use, FIELD_INVALID when it is too short. */
  create(fields: NewSession): Promise<SessionRow>
  all(): SessionRow[]
  byId(id: string): SessionRow | undefined
  /** Throws SESSION_UNKNOWN. */
  rowOf(id: string): SessionRow
  byToken(token: string): SessionRow | undefined
  /** From memory, or from the table if other processes also create sessions. */
  find(by: { id: string } | { token: string }): Promise<SessionRow | undefined>
  /** Rereads a row that another process may have changed. */
  refresh(id: string): Promise<void>
  /** Rereads all rows that another process may have changed, which are those not owned by this one. */
  sync(owns: (id: string) => boolean): Promise<void>
  /** Rejects SESSION_UNKNOWN. */
  update(id: string, change: Change): Promise<SessionRow>
  /**
   * As `update`, and also stores how the session's link ended for good, or that it has not. Rejects FENCED if another
   * process serves the session, which knows better.
   */
  setEnded(id: string, ended: Ended | undefined, change?: Change): Promise<SessionRow>
  /** As `update`, for a session that has not, or no longer, ended for good. */
  clearEnded(id: string, change: Change): Promise<SessionRow>
  /** See `Sessions`. */
  rotateToken(id: string, graceMs: number): Promise<SessionRow>
  /** Aborted when the token becomes invalid. */
  tokenEnded(token: string): AbortSignal
  /** Ids of sessions with streams opened by their tokens. */
  withStreams(): string[]
  remove(id: string): Promise<void>
}

type Reading = Pick<SessionStore, 'all' | 'byId' | 'rowOf' | 'byToken' | 'find' | 'refresh' | 'sync'>

type Change = Partial<Omit<SessionRow, 'id' | 'token' | 'createdAt' | 'ended'>>

/** Minimum length of a token chosen by a client. */
const MIN_TOKEN_LENGTH = 16
/** For how long the rows of other processes are opened before other work has a turn. */
const LOAD_MS = 20

export async function openSessionStore(
  database: Database,
  writer: Writer,
  vault: SessionVault,
  allowWeakTokens: boolean,
): Promise<SessionStore> {
  const tokens = createSessionTokens(vault)
  const rows = await openRows(database, writer, vault, tokens)
  const { byId, byToken, rowOf } = rows.read

  const update: SessionStore['update'] = (id, made) =>
    rows.change(id, made, (session) => rows.write(toRow(vault, session)))
  const setEnded: SessionStore['setEnded'] = (id, ended, made = {}) =>
    rows.change(id, { ...made, ended }, (session) => {
      const row = { ...toRow(vault, session), ...endedOf(vault, session) }
      return writer.transact((trx) => trx('sessions').where({ id }).update(row), { session: id })
    })

  return {
    ...rows.read,
    tokenEnded: tokens.ended,
    withStreams: tokens.withStreams,
    update,
    setEnded,
    clearEnded: (id, made) => (byId(id)?.ended ? setEnded(id, undefined, made) : update(id, made)),
    async create(fields) {
      const session = sessionFrom(fields, allowWeakTokens)
      if (byToken(session.token)) throw gatewayError('SESSION_EXISTS')
      const key = vault.create(session.id)
      const row = { ...toRow(vault, session), ...secretsOf(vault, session, key) }
      const inserted = await writer.write([
        { table: 'sessions', key: ['token_mac'], mode: 'add', rows: [row], returning: ['token_mac'] },
      ])
      if (inserted.length === 0) {
        vault.forget(session.id)
        throw gatewayError('SESSION_EXISTS')
      }
      rows.touch(session.id)
      rows.keep(session)
      return session
    },
    async rotateToken(id, graceMs) {
      const mac = vault.mac(rowOf(id).token)
      const token = randomBytes(32).toString('hex')
      const oldToken = graceMs > 0 ? { mac, until: Date.now() + graceMs } : undefined
      await rows.write({
        id,
        ...tokenOf(vault, { id, token }),
        old_token_mac: oldToken?.mac ?? null,
        old_token_until: oldToken?.until ?? null,
      })
      // The current row: it may have changed meanwhile.
      const session = { ...rowOf(id), token, oldToken }
      rows.touch(id)
      rows.keep(session)
      return session
    },
    async remove(id) {
      // First what may be any number of rows: the session's own row would delete them all in one transaction.
      for (const { table, column } of await tablesOfSession(database.read))
        await deleteInSlices(writer, table, (query) => query.where({ [column]: id }))
      await writer.write([{ table: 'sessions', key: ['id'], mode: 'remove', rows: [{ id }] }])
      rows.touch(id)
      rows.drop(id)
      await database.scrub()
    },
  }
}

/**
 * The rows, also kept in memory, because every request looks one up. Keys wrapped under an old master key are rewrapped at
 * the start.
 */
async function openRows(
  database: Database,
  writer: Writer,
  vault: SessionVault,
  tokens: ReturnType<typeof createSessionTokens>,
) {
  const known = new Map<string, SessionRow>()
  const opened = createKnownRows(database, 'sessions')
  /** For each reading of all rows, the sessions changed here meanwhile: what it has read of them is older. */
  const readings = new Set<Set<string>>()
  const write = (row: Row): Promise<unknown> =>
    writer.write([{ table: 'sessions', key: ['id'], mode: 'update', rows: [row] }])

  function rowOf(id: string): SessionRow {
    const row = known.get(id)
    if (!row) throw gatewayError('SESSION_UNKNOWN')
    return row
  }

  /** It is changed here. */
  function touch(id: string): void {
    opened.forget(id)
    for (const changed of readings) changed.add(id)
  }

  function keep(session: SessionRow): void {
    const before = known.get(session.id)
    known.set(session.id, session)
    tokens.keep(session, before)
  }

  function drop(id: string): void {
    const session = known.get(id)
    opened.forget(id)
    known.delete(id)
    if (session) tokens.drop(session)
    vault.forget(id)
  }

  /** Opens a row that has changed. */
  async function load(row: Row): Promise<void> {
    if (opened.has(row)) return
    const key = { kid: String(row['key_id']), wrapped: row['key'] as Buffer }
    const renewed = vault.restore(String(row['id']), key)
    const session = fromRow(vault, row)
    if (renewed) await write(secretsOf(vault, session, renewed))
    keep(session)
    opened.note(row)
  }

  const read: Reading = {
    all: () => [...known.values()],
    byId: (id) => known.get(id),
    rowOf,
    byToken: (token) => known.get(tokens.sessionOf(token) ?? ''),
    async find(by) {
      const found = 'id' in by ? read.byId(by.id) : read.byToken(by.token)
      if (found || !database.isShared || ('token' in by && !isWritable(by.token))) return found
      const key = 'id' in by ? by : { token_mac: tokens.macOf(by.token) }
      const row = await opened.select().where(key).first()
      if (row) await load(row)
      return known.get(String(row?.['id']))
    },
    async refresh(id) {
      const row = await opened.select().where({ id }).first()
      if (row) await load(row)
      else drop(id)
    },
    async sync(owns) {
      if (!database.isShared) return
      const changed = new Set<string>()
      const isCurrent = (id: string): boolean => owns(id) || changed.has(id)
      readings.add(changed)
      try {
        const { rows, ids } = await opened.changed()
        let began = performance.now()
        for (const row of rows) {
          if (performance.now() - began > LOAD_MS) {
            await setImmediate()
            began = performance.now()
          }
          if (!isCurrent(String(row['id']))) await load(row)
        }
        for (const id of [...known.keys()]) if (!ids.has(id) && !isCurrent(id)) drop(id)
      } finally {
        readings.delete(changed)
      }
    },
  }
  for (const row of await opened.select()) await load(row)
  return {
    read,
    write,
    touch,
    keep,
    drop,
    /** Visible at once, so that consecutive changes build on each other; reverted if it can't be stored. */
    async change(id: string, made: Partial<SessionRow>, store: (session: SessionRow) => Promise<unknown>) {
      const before = rowOf(id)
      const session = { ...before, ...made }
      touch(id)
      known.set(id, session)
      try {
        await store(session)
      } catch (error) {
        if (known.get(id) === session) known.set(id, before)
        throw error
      }
      return session
    },
  }
}

/** Throws FIELD_INVALID for a token that can't be one. */
function sessionFrom(fields: NewSession, allowWeakTokens: boolean): SessionRow {
  if (!isWritable(fields.token ?? ''))
    throw gatewayError('FIELD_INVALID', ['Token', 'must be ASCII, since it is sent in a header'])
  const token = bare(fields.token ?? '') || randomBytes(32).toString('hex')
  if (token.length < MIN_TOKEN_LENGTH && !allowWeakTokens)
    throw gatewayError('FIELD_INVALID', [
      'Token',
      `must have at least ${MIN_TOKEN_LENGTH} characters without spaces`,
    ])
  return {
    id: randomBytes(9).toString('base64url'),
    token,
    name: fields.name ?? '',
    os: fields.os ?? '',
    labels: fields.labels ?? {},
    webhook: fields.webhook ?? '',
    subscribe: fields.subscribe ?? ['All'],
    jid: '',
    lid: '',
    network: '',
    autoConnect: false,
    createdAt: new Date().toISOString(),
  }
}
