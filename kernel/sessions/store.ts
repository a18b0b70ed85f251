import { randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { startTimer } from '../async/clock.ts'
import type { Database } from '../db/database.ts'
import { createKnownRows } from '../db/known-rows.ts'
import { deleteInSlices, tablesOfSession } from '../db/slices.ts'
import type { Writer } from '../db/writer.ts'
import { gatewayError } from '../errors.ts'
import type { NewSession } from '../types/session.ts'
import type { Row } from '../types/storage.ts'
import type { SessionVault } from '../vault/vault.ts'
import { type Ended, endedOf, fromRow, type SessionRow, secretsOf, tokenOf, toRow } from './session-row.ts'

export interface SessionStore {
  /** Rejects SESSION_EXISTS when the token is in use, FIELD_INVALID when it is too short. */
  create(fields: NewSession): Promise<SessionRow>
  all(): SessionRow[]
  byId(id: string): SessionRow | undefined
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

type Change = Partial<Omit<SessionRow, 'id' | 'token' | 'createdAt' | 'ended'>>

/** Minimum length of a token chosen by a client. */
const MIN_TOKEN_LENGTH = 16
/** For how long the rows of other processes are opened before other work has a turn. */
const LOAD_MS = 20

/**
 * Rows are also kept in memory, because every request looks one up. Keys wrapped under an old master key are rewrapped at
 * the start.
 */
export async function openSessionStore(
  database: Database,
  writer: Writer,
  vault: SessionVault,
  allowWeakTokens: boolean,
): Promise<SessionStore> {
  const rows = new Map<string, SessionRow>()
  const opened = createKnownRows(database, 'sessions')
  /** For each reading of all rows, the sessions changed here meanwhile: what it has read of them is older. */
  const readings = new Set<Set<string>>()
  const touch = (id: string): void => {
    opened.forget(id)
    for (const changed of readings) changed.add(id)
  }
  /** Ids by the HMAC of the token: the time of a lookup must not depend on the token. */
  const tokens = new Map<string, string>()
  /** Abort controllers of tokens with open streams. */
  const ends = new Map<string, AbortController>()
  const drop = (mac: string, id: string): void => {
    // After it expires, another session may have received the token.
    if (tokens.get(mac) !== id) return
    tokens.delete(mac)
    ends.get(mac)?.abort(gatewayError('TOKEN_INVALID'))
    ends.delete(mac)
  }
  const dropOld = (id: string): void => {
    const { oldToken } = rows.get(id) ?? {}
    if (!oldToken) return
    const wait = oldToken.until - Date.now()
    if (wait <= 0) drop(oldToken.mac, id)
    else startTimer(wait, () => dropOld(id), { isUnref: true })
  }
  /** Replaces the previous row, whose tokens no longer find the session unless they are still valid. */
  const keep = (session: SessionRow): void => {
    const before = rows.get(session.id)
    const valid = [vault.mac(session.token), session.oldToken?.mac]
    if (before)
      for (const mac of [vault.mac(before.token), before.oldToken?.mac])
        if (mac && !valid.includes(mac)) drop(mac, session.id)
    rows.set(session.id, session)
    for (const mac of valid) if (mac) tokens.set(mac, session.id)
    dropOld(session.id)
  }
  const remove = (id: string): void => {
    const { token, oldToken } = rows.get(id) ?? {}
    opened.forget(id)
    rows.delete(id)
    for (const mac of [token && vault.mac(token), oldToken?.mac]) if (mac) drop(mac, id)
    vault.forget(id)
  }
  /** Visible at once, so that consecutive changes build on each other; reverted if it can't be stored. */
  async function change(
    id: string,
    made: Partial<SessionRow>,
    write: (session: SessionRow) => Promise<unknown>,
  ): Promise<SessionRow> {
    const before = rows.get(id)
    if (!before) throw gatewayError('SESSION_UNKNOWN')
    const session = { ...before, ...made }
    touch(id)
    rows.set(id, session)
    try {
      await write(session)
    } catch (error) {
      if (rows.get(id) === session) rows.set(id, before)
      throw error
    }
    return session
  }
  const update: SessionStore['update'] = (id, made) =>
    change(id, made, (session) =>
      writer.write([{ table: 'sessions', key: ['id'], mode: 'update', rows: [toRow(vault, session)] }]),
    )
  const setEnded: SessionStore['setEnded'] = (id, ended, made = {}) =>
    change(id, { ...made, ended }, (session) => {
      const row = { ...toRow(vault, session), ...endedOf(vault, session) }
      return writer.transact((trx) => trx('sessions').where({ id }).update(row), { session: id })
    })
  /** Opens a row that has changed. */
  async function load(row: Row): Promise<void> {
    if (opened.has(row)) return
    const id = String(row['id'])
    const key = { kid: String(row['key_id']), wrapped: row['key'] as Buffer }
    const renewed = vault.restore(id, key)
    const session = fromRow(vault, row)
    if (renewed)
      await writer.write([
        { table: 'sessions', key: ['id'], mode: 'update', rows: [secretsOf(vault, session, renewed)] },
      ])
    keep(session)
    opened.note(row)
  }
  for (const row of await opened.select()) await load(row)
  return {
    async create(fields) {
      if (!isWritable(fields.token ?? ''))
        throw gatewayError('FIELD_INVALID', ['Token', 'must be ASCII, since it is sent in a header'])
      const token = bare(fields.token ?? '') || randomBytes(32).toString('hex')
      if (token.length < MIN_TOKEN_LENGTH && !allowWeakTokens)
        throw gatewayError('FIELD_INVALID', [
          'Token',
          `must have at least ${MIN_TOKEN_LENGTH} characters without spaces`,
        ])
      const session: SessionRow = {
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
      if (tokens.has(vault.mac(token))) throw gatewayError('SESSION_EXISTS')
      const key = vault.create(session.id)
      const row = { ...toRow(vault, session), ...secretsOf(vault, session, key) }
      const inserted = await writer.write([
        { table: 'sessions', key: ['token_mac'], mode: 'add', rows: [row], returning: ['token_mac'] },
      ])
      if (inserted.length === 0) {
        vault.forget(session.id)
        throw gatewayError('SESSION_EXISTS')
      }
      touch(session.id)
      keep(session)
      return session
    },
    all: () => [...rows.values()],
    byId: (id) => rows.get(id),
    byToken: (token) => (isWritable(token) ? rows.get(tokens.get(vault.mac(bare(token))) ?? '') : undefined),
    async find(by) {
      if ('token' in by && !isWritable(by.token)) return undefined
      const mac = 'token' in by ? vault.mac(bare(by.token)) : ''
      const known = rows.get('id' in by ? by.id : (tokens.get(mac) ?? ''))
      if (known || !database.isShared) return known
      const row = await opened
        .select()
        .where('id' in by ? by : { token_mac: mac })
        .first()
      if (row) await load(row)
      return rows.get(String(row?.['id']))
    },
    async refresh(id) {
      const row = await opened.select().where({ id }).first()
      if (row) await load(row)
      else remove(id)
    },
    async sync(owns) {
      if (!database.isShared) return
      const pause = yieldEvery(LOAD_MS)
      const changed = new Set<string>()
      const isCurrent = (id: string): boolean => owns(id) || changed.has(id)
      readings.add(changed)
      try {
        const { rows: read, ids } = await opened.changed()
        for (const row of read) {
          await pause()
          if (!isCurrent(String(row['id']))) await load(row)
        }
        for (const id of [...rows.keys()]) if (!ids.has(id) && !isCurrent(id)) remove(id)
      } finally {
        readings.delete(changed)
      }
    },
    update,
    setEnded,
    clearEnded: (id, made) => (rows.get(id)?.ended ? setEnded(id, undefined, made) : update(id, made)),
    async rotateToken(id, graceMs) {
      const { token } = rows.get(id) ?? {}
      if (token === undefined) throw gatewayError('SESSION_UNKNOWN')
      const next = randomBytes(32).toString('hex')
      const oldToken = graceMs > 0 ? { mac: vault.mac(token), until: Date.now() + graceMs } : undefined
      const change = {
        id,
        ...tokenOf(vault, { id, token: next }),
        old_token_mac: oldToken?.mac ?? null,
        old_token_until: oldToken?.until ?? null,
      }
      await writer.write([{ table: 'sessions', key: ['id'], mode: 'update', rows: [change] }])
      // The current row: it may have changed meanwhile.
      const row = rows.get(id)
      if (!row) throw gatewayError('SESSION_UNKNOWN')
      const session = { ...row, token: next, oldToken }
      touch(id)
      keep(session)
      return session
    },
    tokenEnded(token) {
      const mac = vault.mac(bare(token))
      const end = ends.get(mac) ?? new AbortController()
      if (tokens.has(mac)) ends.set(mac, end)
      else end.abort(gatewayError('TOKEN_INVALID'))
      return end.signal
    },
    withStreams: () => [...new Set([...ends.keys()].flatMap((mac) => tokens.get(mac) ?? []))],
    async remove(id) {
      // First what may be any number of rows: the session's own row would delete them all in one transaction.
      for (const { table, column } of await tablesOfSession(database.read))
        await deleteInSlices(writer, table, (query) => query.where({ [column]: id }))
      await writer.write([{ table: 'sessions', key: ['id'], mode: 'remove', rows: [{ id }] }])
      touch(id)
      remove(id)
      await database.scrub()
    },
  }
}

/** Whether a header can carry it: bytes above ASCII are read as latin1 and would be a different text in UTF-8. */
export function isWritable(token: string): boolean {
  return /^[\t-\r\x20-\x7e]*$/.test(token)
}

/** A token as it is stored; clients may continue to send it as they chose it, including spaces. */
function bare(token: string): string {
  return token.replace(/\s+/g, '')
}

/**
 * For long loops, which would hold up everything else in the process: the returned function waits for one turn of the event loop
 * once the loop has run for `ms` milliseconds.
 */
function yieldEvery(ms: number): () => Promise<void> {
  let last = performance.now()
  return async () => {
    if (performance.now() - last < ms) return
    await setImmediate()
    last = performance.now()
  }
}
