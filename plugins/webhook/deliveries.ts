import type { LogEvent, PluginDb, Row, Session, Sessions } from 'wamux/plugin'

export interface Delivery {
  seq: number
  session: string
  event: string
  lane: string
  type: string
  time: string
  body: Record<string, unknown>
  attempts: number
  nextAt: number
}

/** The table of what is to be delivered. */
export interface Deliveries {
  /** Enters events of sessions that have a webhook and subscribed; true if there were any. */
  enter(events: readonly LogEvent[]): Promise<boolean>
  /** What is still to be delivered after `seq`, oldest first. */
  pending(seq: number, limit: number): Promise<Delivery[]>
  /** The same of one lane, up to and with `to`. */
  pendingOf(lane: string, from: number, to: number, limit: number): Promise<Delivery[]>
  done(delivery: Delivery, status: number): Promise<void>
  /** Failed; due again at `nextAt` (milliseconds), or never: dead. */
  failed(delivery: Delivery, reason: string, nextAt: number | undefined): Promise<void>
}

interface Deps {
  db: PluginDb
  sessions: Sessions
}

export function createDeliveries({ db, sessions }: Deps): Deliveries {
  const table = db.table('deliveries')
  const change = (seq: number, row: Row): Promise<void> =>
    db.write([db.update('deliveries', ['seq'], [{ seq, ...row }])])
  return {
    async enter(events) {
      const rows: Row[] = []
      for (const event of events) {
        const session = await sessions.byId(event.session)
        if (session && wants(session, event)) rows.push(toRow(event))
      }
      if (rows.length > 0) await db.write([db.add('deliveries', ['seq'], rows)])
      return rows.length > 0
    },
    async pending(seq, limit) {
      const rows = await db
        .read<Row>(table)
        .where({ state: 'pending' })
        .where('seq', '>', seq)
        .orderBy('seq')
        .limit(limit)
      return rows.map(toDelivery)
    },
    async pendingOf(lane, from, to, limit) {
      const rows = await db
        .read<Row>(table)
        .where({ lane, state: 'pending' })
        .whereBetween('seq', [from, to])
        .orderBy('seq')
        .limit(limit)
      return rows.map(toDelivery)
    },
    done: ({ seq, attempts }, status) =>
      change(seq, { state: 'done', attempts: attempts + 1, last: String(status) }),
    failed: ({ seq, attempts }, reason, nextAt) =>
      change(seq, {
        state: nextAt === undefined ? 'dead' : 'pending',
        attempts: attempts + 1,
        next_at: nextAt ?? 0,
        last: reason.slice(0, 500),
      }),
  }
}

function wants({ webhook, subscribe }: Session, event: LogEvent): boolean {
  return webhook !== '' && (subscribe.includes('All') || subscribe.includes(event.class))
}

function toRow({ seq, session, id, lane, type, time, body }: LogEvent): Row {
  return {
    seq,
    session,
    event: id,
    lane,
    type,
    time,
    body: JSON.stringify(body),
    state: 'pending',
    attempts: 0,
    next_at: 0,
    last: '',
  }
}

function toDelivery(row: Row): Delivery {
  return {
    seq: Number(row['seq']),
    session: String(row['session']),
    event: String(row['event']),
    lane: String(row['lane']),
    type: String(row['type']),
    time: String(row['time']),
    body: JSON.parse(String(row['body'])) as Record<string, unknown>,
    attempts: Number(row['attempts']),
    nextAt: Number(row['next_at']),
  }
}
