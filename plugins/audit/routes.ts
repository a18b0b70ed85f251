import { gatewayError, type RouteBuilder, T } from 'wamux/plugin'
import type { Audit, AuditRow, ChainCheck } from './types.ts'

const Row = T.Object({
  Seq: T.Integer(),
  Time: T.String(),
  Actor: T.String({ description: '`admin`, the id of a session, `key:` and the id of a key, or `wamux`' }),
  Address: T.String(),
  Action: T.String(),
  Target: T.String({ description: 'Id of the affected session or key' }),
  Result: T.String({ description: '`ok`, or the code of the error' }),
  Request: T.String({ description: '`X-Request-Id` of the response' }),
  Hash: T.String(),
})

export const routes = (r: RouteBuilder<{ audit: Audit }>) => [
  r.get('/server/audit', {
    summary: 'Read the audit log and verify its hash chain',
    access: 'admin',
    description:
      'Oldest first; `?after=` is the last known `Seq`, `?limit=` at most 1000 (default 100). `Chain` is the verification of *all* rows: each row covers the hash of the previous one. Someone with write access to the database could still truncate the end: store `Chain.Hash` elsewhere to detect that. Rows are kept for 90 days.',
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

function toChain({ isWhole, rows, hash, brokenAt, why }: ChainCheck) {
  return {
    Whole: isWhole,
    Rows: rows,
    Hash: hash,
    ...(brokenAt === undefined ? {} : { BrokenAt: brokenAt }),
    ...(why === undefined ? {} : { Reason: why }),
  }
}
