import { gatewayError, type RouteBuilder, T } from 'wamux/plugin'
import type { Audit, AuditRow, AuditVerdict } from './types.ts'

const Row = T.Object({
  Seq: T.Integer(),
  Time: T.String(),
  Actor: T.String({ description: '`admin`, the id of a session, or `wamux`' }),
  Address: T.String(),
  Action: T.String(),
  Target: T.String({ description: 'Id of the session that it was done to' }),
  Result: T.String({ description: '`ok`, or the code of the error' }),
  Request: T.String({ description: 'The `X-Request-Id` of its answer' }),
  Hash: T.String(),
})

export const routes = (r: RouteBuilder<{ audit: Audit }>) => [
  r.get('/server/audit', {
    summary: 'Who did what, and whether the record is whole',
    access: 'admin',
    description:
      'Oldest first; `?after=` takes the last `Seq` that you have, `?limit=` up to 1000 (100). `Chain` is the check of *all* rows: each covers the hash of the one before. Who can write to the database could still cut off the end: keep `Chain.Hash` elsewhere to see that too. Rows are kept for 90 days.',
    response: T.Object({
      Rows: T.Array(Row),
      Chain: T.Object({
        Whole: T.Boolean(),
        Rows: T.Integer(),
        Hash: T.String({ description: 'Of the newest row' }),
        BrokenAt: T.Optional(T.Integer()),
        Reason: T.Optional(T.String()),
      }),
    }),
    async handle({ query }, { audit }) {
      const rows = await audit.after(whole(query, 'after', 0), Math.min(1000, whole(query, 'limit', 100)))
      return { Rows: rows.map(toRow), Chain: toChain(await audit.verify()) }
    },
  }),
]

function whole(query: URLSearchParams, name: string, absent: number): number {
  const text = query.get(name) ?? String(absent)
  if (!/^\d{1,15}$/.test(text)) throw gatewayError('FIELD_INVALID', [name, 'must be a whole number'])
  return Number(text)
}

function toRow({ seq, time, actor, address, action, target, result, request, hash }: AuditRow) {
  return {
    Seq: seq,
    Time: time,
    Actor: actor,
    Address: address,
    Action: action,
    Target: target,
    Result: result,
    Request: request,
    Hash: hash,
  }
}

function toChain({ isWhole, rows, hash, brokenAt, why }: AuditVerdict) {
  return {
    Whole: isWhole,
    Rows: rows,
    Hash: hash,
    ...(brokenAt === undefined ? {} : { BrokenAt: brokenAt }),
    ...(why === undefined ? {} : { Reason: why }),
  }
}
