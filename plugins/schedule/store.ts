import { deserialize, serialize } from 'node:v8'
import type { GatewayServices, PluginDb, Row, Vault, Write } from 'wamux/plugin'

type Send = GatewayServices['sender']['send']
type Content = Awaited<ReturnType<Parameters<Send>[2]>>

/** `waiting` until it is due; `sending` from the end of cancellation until the outbox has it. */
type State = 'waiting' | 'sending' | 'sent' | 'cancelled' | 'failed'

/** The content to send: files as bytes, which are uploaded at the scheduled time. */
export interface StoredRequest {
  readonly body: Pick<Parameters<Send>[1]['body'], 'ContextInfo' | 'QuotedText'>
  readonly content: Content
  readonly extras: Omit<NonNullable<Parameters<Send>[3]>, 'answer'> & { chat: string }
}

interface Info {
  readonly chat: string
  /** The route. */
  readonly path: string
  /** The first characters of its text or caption. */
  readonly text: string
  /** Why it failed; '' otherwise. */
  readonly error: string
}

export interface Scheduled extends Info {
  readonly session: string
  readonly id: string
  /** '' if the client did not choose the id. */
  readonly fingerprint: string
  readonly sendAt: number
  readonly created: number
  readonly state: State
  /** In bytes. */
  readonly size: number
}

/** Scheduled messages, sealed. */
export interface Store {
  find(session: string, id: string): Promise<Scheduled | undefined>
  requestOf(session: string, id: string): Promise<StoredRequest>
  /** In order of time, after the one with that id. */
  list(session: string, states: readonly State[], after: string, limit: number): Promise<Scheduled[]>
  /** Number and size of the waiting messages. */
  usage(session: string): Promise<{ count: number; bytes: number }>
  /** A new message. */
  add(scheduled: Scheduled, request: Buffer): Write
  /** A change of state; the end deletes the content. */
  change(scheduled: Scheduled, state: State, error?: string): Write
  /** Deletes those that have ended before `time`. */
  prune(time: number): Promise<void>
}

export const OPEN: readonly State[] = ['waiting', 'sending']
export const ENDED: readonly State[] = ['sent', 'cancelled', 'failed']
const KEY = ['session', 'id']

export const toBytes = (request: StoredRequest): Buffer => serialize(request)

export function createStore({ db, vault }: { db: PluginDb; vault: Vault }): Store {
  const placeOf = (id: string, column: string): string => `schedule_messages/${id}/${column}`
  const rowsOf = (session: string) => db.read<Row>(db.table('messages')).where({ session })
  const COLUMNS = ['session', 'id', 'fingerprint', 'send_at', 'created', 'state', 'size', 'info']
  const sealInfo = ({ session, id, chat, path, text }: Scheduled, error: string): Buffer =>
    vault.seal(session, placeOf(id, 'info'), JSON.stringify({ chat, path, text, error }))

  function toScheduled(row: Row): Scheduled {
    const [session, id] = [String(row['session']), String(row['id'])]
    return {
      ...(JSON.parse(vault.open(session, placeOf(id, 'info'), row['info'] as Buffer).toString()) as Info),
      session,
      id,
      fingerprint: String(row['fingerprint']),
      sendAt: Number(row['send_at']),
      created: Number(row['created']),
      state: String(row['state']) as State,
      size: Number(row['size']),
    }
  }

  return {
    async find(session, id) {
      const row: Row | undefined = await rowsOf(session).where({ id }).first(COLUMNS)
      return row && toScheduled(row)
    },
    async requestOf(session, id) {
      const row: Row | undefined = await rowsOf(session).where({ id }).first('request')
      return deserialize(vault.open(session, placeOf(id, 'request'), row?.['request'] as Buffer))
    },
    async list(session, states, after, limit) {
      const query = rowsOf(session).whereIn('state', [...states])
      const last: Row | undefined = after
        ? await rowsOf(session).where({ id: after }).first('send_at')
        : undefined
      const time = Number(last?.['send_at'])
      if (last)
        query.where((later) =>
          later
            .where('send_at', '>', time)
            .orWhere((same) => same.where('send_at', time).where('id', '>', after)),
        )
      const rows: Row[] = await query.orderBy(['send_at', 'id']).limit(limit).select(COLUMNS)
      return rows.map(toScheduled)
    },
    async usage(session) {
      const row = await rowsOf(session)
        .whereIn('state', [...OPEN])
        .count({ count: '*' })
        .sum({ bytes: 'size' })
        .first()
      return { count: Number(row?.['count'] ?? 0), bytes: Number(row?.['bytes'] ?? 0) }
    },
    add(scheduled, request) {
      const { session, id, fingerprint, sendAt, created, state, size } = scheduled
      const row = { session, id, fingerprint, send_at: sendAt, created, changed: created, state, size }
      const sealed = {
        info: sealInfo(scheduled, ''),
        request: vault.seal(session, placeOf(id, 'request'), request),
      }
      return db.put('messages', KEY, [{ ...row, ...sealed }])
    },
    change(scheduled, state, error = '') {
      const { session, id } = scheduled
      const row = { session, id, state, changed: Date.now() }
      if (OPEN.includes(state)) return db.update('messages', KEY, [row])
      return db.update('messages', KEY, [{ ...row, info: sealInfo(scheduled, error), request: null }])
    },
    async prune(time) {
      await db.prune('messages', (query) => query.whereIn('state', [...ENDED]).where('changed', '<', time))
    },
  }
}
