import { digits } from 'wamux/messaging'
import { type RouteBuilder, T } from 'wamux/plugin'
import type { Audit, AuditRow, ChainCheck } from './types.ts'

const Row = T.Object({
  Seq: T.Integer(),
  Time: T.String(),
  Actor: T.String({ description: '`admin`, the id of a session, `key:` and the id of a key, or `wamux`' }),
  Address: T.String(),
  Action: T.String(),
  Target: T.String({ description: 'Id of the affected session or key' }),
  Result: T.String({ description: '`ok`, or the code of the error' }),
  Leaves: T.String({
    description:
      'What left the account: recipient, fetch with the host, profile, group, contact, business; empty for nothing',
  }),
  Request: T.String({ description: '`X-Request-Id` of the response' }),
  Hash: T.String(),
})

const MAX_LIMIT = 1_000

export const routes = (r: RouteBuilder<{ audit: Audit }>) => [
  r.get('/server/audit', {
    summary: 'Read the audit log and verify its hash chain',
    access: 'admin',
    description:
      'Oldest first after `after`, the last known `Seq`; newest first with `order=newest`, before `before`. `Chain` is the verification of *all* rows: each row covers the hash of the previous one. Someone with write access to the database could still truncate the end: store `Chain.Hash` elsewhere to detect that. Rows are kept for 90 days.',
    body: T.Object({
      after: digits('`Seq` of the last known row'),
      before: digits('Rows before this `Seq`'),
      order: T.Optional(T.Enum(['oldest', 'newest'], { description: 'Oldest first when absent' })),
      limit: digits('Page size, at most 1000; 100 when absent'),
      since: T.Optional(T.String({ format: 'date-time', description: 'RFC 3339; rows from then on' })),
      until: T.Optional(T.String({ format: 'date-time', description: 'RFC 3339; rows before' })),
    }),
    response: T.Object({
      Rows: T.Array(Row),
      Chain: T.Object({
        Whole: T.Boolean(),
        Rows: T.Integer(),
        Hash: T.String({ description: 'Hash of the newest row' }),
        BrokenAt: T.Optional(T.Integer()),
        Reason: T.Optional(T.String()),
      }),
    }),
    async handle({ body }, { audit }) {
      const { after, before, order, limit = '100', since, until } = body
      const rows = await audit.page({
        after: Number(after ?? 0),
        before: before === undefined ? undefined : Number(before),
        isNewestFirst: order === 'newest',
        limit: Math.min(MAX_LIMIT, Number(limit)),
        since: since && toStored(since),
        until: until && toStored(until),
      })
      return { Rows: rows.map(toRow), Chain: toChain(await audit.verify()) }
    },
  }),
]

/** In the form and zone in which rows have their time, so that texts compare like times. */
function toStored(time: string): string {
  return new Date(time).toISOString()
}

function toRow({ seq, time, actor, address, action, target, result, leaves, request, hash }: AuditRow) {
  return {
    Seq: seq,
    Time: time,
    Actor: actor,
    Address: address,
    Action: action,
    Target: target,
    Result: result,
    Leaves: leaves,
    Request: request,
    Hash: hash,
  }
}

function toChain({ isWhole, rows, hash, brokenAt, why }: ChainCheck) {
  return {
    Whole: isWhole,
    Rows: rows,
    Hash: hash,
    ...(brokenAt === undefined ? {} : { BrokenAt: brokenAt }),
    ...(why === undefined ? {} : { Reason: why }),
  }
}
