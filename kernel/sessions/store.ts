import { randomBytes } from 'node:crypto'
import type { Database } from '../db/open.ts'
import type { Writer } from '../db/writer.ts'
import { gatewayError } from '../errors.ts'
import type { NewSession } from '../types/session.ts'
import type { Row } from '../types/storage.ts'

/** A session's stored part. */
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
  /** Whether a restart brings its client back. */
  readonly wanted: boolean
  readonly createdAt: string
}

export interface SessionStore {
  /** Rejects SESSION_EXISTS when the token is taken. */
  create(fields: NewSession): Promise<SessionRow>
  all(): SessionRow[]
  byId(id: string): SessionRow | undefined
  byToken(token: string): SessionRow | undefined
  /** Rejects SESSION_UNKNOWN. */
  update(id: string, change: Partial<Omit<SessionRow, 'id' | 'createdAt'>>): Promise<SessionRow>
  remove(id: string): Promise<void>
}

/** Rows live in memory too: every request looks one up. The table is written first. */
export async function openSessionStore(database: Database, writer: Writer): Promise<SessionStore> {
  const rows = new Map<string, SessionRow>()
  for (const row of await database.read<Row>('sessions').orderBy('created_at')) {
    const session = fromRow(row)
    rows.set(session.id, session)
  }
  const byToken = (token: string): SessionRow | undefined => {
    for (const row of rows.values()) if (row.token === token) return row
    return undefined
  }
  return {
    async create(fields) {
      const token = (fields.token ?? '').replace(/\s+/g, '') || randomBytes(32).toString('hex')
      const session: SessionRow = {
        id: randomBytes(9).toString('base64url'),
        token,
        name: fields.name ?? '',
        os: fields.os ?? '',
        webhook: fields.webhook ?? '',
        subscribe: fields.subscribe?.length ? fields.subscribe : ['All'],
        jid: '',
        lid: '',
        network: '',
        wanted: false,
        createdAt: new Date().toISOString(),
      }
      const inserted = await writer.write([
        { table: 'sessions', key: ['token'], mode: 'add', rows: [toRow(session)] },
      ])
      if (inserted.length === 0) throw gatewayError('SESSION_EXISTS')
      rows.set(session.id, session)
      return session
    },
    all: () => [...rows.values()],
    byId: (id) => rows.get(id),
    byToken,
    async update(id, change) {
      const before = rows.get(id)
      if (!before) throw gatewayError('SESSION_UNKNOWN')
      const session = { ...before, ...change }
      // Shown at once, so that two changes in a row build on each other; taken back if it can't be stored.
      rows.set(id, session)
      try {
        await writer.write([{ table: 'sessions', key: ['id'], mode: 'put', rows: [toRow(session)] }])
      } catch (error) {
        if (rows.get(id) === session) rows.set(id, before)
        throw error
      }
      return session
    },
    async remove(id) {
      await writer.write([{ table: 'sessions', key: ['id'], mode: 'remove', rows: [{ id }] }])
      rows.delete(id)
    },
  }
}

function toRow(session: SessionRow): Row {
  const { subscribe, createdAt, ...rest } = session
  return { ...rest, subscribe: JSON.stringify(subscribe), created_at: createdAt }
}

function fromRow(row: Row): SessionRow {
  const text = (column: string): string => String(row[column])
  return {
    id: text('id'),
    token: text('token'),
    name: text('name'),
    os: text('os'),
    webhook: text('webhook'),
    subscribe: JSON.parse(text('subscribe')) as string[],
    jid: text('jid'),
    lid: text('lid'),
    network: text('network'),
    wanted: Boolean(row['wanted']),
    createdAt: text('created_at'),
  }
}
