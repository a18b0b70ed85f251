import { randomBytes } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import { gatewayError } from '../errors.ts'
import type { NewSession } from '../types/session.ts'
import type { Row } from '../types/storage.ts'
import type { WrappedKey } from '../vault/keyring.ts'
import type { SessionVault } from '../vault/vault.ts'

/** The stored part of a session. */
export interface SessionRow {
  readonly id: string
  readonly token: string
  readonly name: string
  readonly os: string
  readonly webhook: string
  readonly subscribe: readonly string[]
  readonly jid: string
  readonly lid: string
  readonly network: string
  /** Whether a restart of the gateway connects it again. */
  readonly autoConnect: boolean
  readonly createdAt: string
}

export interface SessionStore {
  /** Rejects SESSION_EXISTS when the token is in use, FIELD_INVALID when it is too short. */
  create(fields: NewSession): Promise<SessionRow>
  all(): SessionRow[]
  byId(id: string): SessionRow | undefined
  byToken(token: string): SessionRow | undefined
  /** From memory, or from the table where other processes create sessions too. */
  find(by: { id: string } | { token: string }): Promise<SessionRow | undefined>
  /** Reads a row again that another process may have changed. */
  refresh(id: string): Promise<void>
  /** Reads all rows again that another process may have changed: those that this one does not own. */
  sync(owns: (id: string) => boolean): Promise<void>
  /** Rejects SESSION_UNKNOWN. */
  update(id: string, change: Partial<Omit<SessionRow, 'id' | 'token' | 'createdAt'>>): Promise<SessionRow>
  remove(id: string): Promise<void>
}

/** Characters of a token that a client chose. */
const MIN_TOKEN_LENGTH = 16

/**
 * Rows are kept in memory as well, because every request looks one up. Keys that are wrapped under an old master key are
 * wrapped again at the start.
 */
export async function openSessionStore(
  database: Database,
  writer: Writer,
  vault: SessionVault,
  allowWeakTokens: boolean,
): Promise<SessionStore> {
  const rows = new Map<string, SessionRow>()
  /** Ids by the HMAC of the token, so that the time of a lookup does not depend on the token. */
  const tokens = new Map<string, string>()
  const keep = (session: SessionRow): void => {
    rows.set(session.id, session)
    tokens.set(vault.mac(session.token), session.id)
  }
  const drop = (id: string): void => {
    tokens.delete(vault.mac(rows.get(id)?.token ?? ''))
    rows.delete(id)
  }
  const remove = (id: string): void => {
    drop(id)
    vault.forget(id)
  }
  const read = () => database.read<Row>('sessions').orderBy('created_at')
  async function load(row: Row): Promise<void> {
    const id = String(row['id'])
    const key = { kid: String(row['key_id']), wrapped: row['key'] as Buffer }
    const renewed = vault.restore(id, key)
    const session = fromRow(vault, row)
    if (renewed)
      await writer.write([
        { table: 'sessions', key: ['id'], mode: 'update', rows: [secretsOf(vault, session, renewed)] },
      ])
    drop(id)
    keep(session)
  }
  for (const row of await read()) await load(row)
  return {
    async create(fields) {
      const token = (fields.token ?? '').replace(/\s+/g, '') || randomBytes(32).toString('hex')
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
        webhook: fields.webhook ?? '',
        subscribe: fields.subscribe ?? ['All'],
        jid: '',
        lid: '',
        network: '',
        autoConnect: false,
        createdAt: new Date().toISOString(),
      }
      const key = vault.create(session.id)
      const row = { ...toRow(vault, session), ...secretsOf(vault, session, key) }
      const inserted = await writer.write([
        { table: 'sessions', key: ['token_mac'], mode: 'add', rows: [row], returning: ['token_mac'] },
      ])
      if (inserted.length === 0) {
        vault.forget(session.id)
        throw gatewayError('SESSION_EXISTS')
      }
      keep(session)
      return session
    },
    all: () => [...rows.values()],
    byId: (id) => rows.get(id),
    byToken: (token) => rows.get(tokens.get(vault.mac(token)) ?? ''),
    async find(by) {
      const known = 'id' in by ? rows.get(by.id) : rows.get(tokens.get(vault.mac(by.token)) ?? '')
      if (known || !database.isShared) return known
      const row = await read()
        .where('id' in by ? by : { token_mac: vault.mac(by.token) })
        .first()
      if (row) await load(row)
      return rows.get(String(row?.['id']))
    },
    async refresh(id) {
      const row = await read().where({ id }).first()
      if (row) await load(row)
      else remove(id)
    },
    async sync(owns) {
      if (!database.isShared) return
      const all = await read()
      for (const row of all) if (!owns(String(row['id']))) await load(row)
      const ids = new Set(all.map((row) => row['id']))
      for (const id of [...rows.keys()]) if (!ids.has(id) && !owns(id)) remove(id)
    },
    async update(id, change) {
      const before = rows.get(id)
      if (!before) throw gatewayError('SESSION_UNKNOWN')
      const session = { ...before, ...change }
      // Visible at once, so that two changes in a row build on each other; reverted if it can't be stored.
      rows.set(id, session)
      try {
        await writer.write([
          { table: 'sessions', key: ['id'], mode: 'update', rows: [toRow(vault, session)] },
        ])
      } catch (error) {
        if (rows.get(id) === session) rows.set(id, before)
        throw error
      }
      return session
    },
    async remove(id) {
      await writer.write([{ table: 'sessions', key: ['id'], mode: 'remove', rows: [{ id }] }])
      remove(id)
      await database.scrub()
    },
  }
}

function secretsOf(vault: SessionVault, { id, token }: SessionRow, { kid, wrapped }: WrappedKey): Row {
  const sealed = vault.seal(id, 'sessions/token', token)
  return { id, token_mac: vault.mac(token), token: sealed, key_id: kid, key: wrapped }
}

/** All columns but those of the token and the key, which never change. */
function toRow(vault: SessionVault, session: SessionRow): Row {
  const { subscribe, createdAt, autoConnect, token: _token, webhook, jid, lid, ...rest } = session
  const sealed = Object.entries({ webhook, jid, lid }).map(([column, text]) => [
    column,
    vault.seal(session.id, `sessions/${column}`, text),
  ])
  return {
    ...rest,
    ...Object.fromEntries(sealed),
    subscribe: JSON.stringify(subscribe),
    wanted: autoConnect,
    created_at: createdAt,
  }
}

function fromRow(vault: SessionVault, row: Row): SessionRow {
  const text = (column: string): string => String(row[column])
  const open = (column: string): string =>
    vault.open(text('id'), `sessions/${column}`, row[column] as Buffer).toString()
  return {
    id: text('id'),
    token: open('token'),
    name: text('name'),
    os: text('os'),
    webhook: open('webhook'),
    subscribe: JSON.parse(text('subscribe')) as string[],
    jid: open('jid'),
    lid: open('lid'),
    network: text('network'),
    autoConnect: Boolean(row['wanted']),
    createdAt: text('created_at'),
  }
}
