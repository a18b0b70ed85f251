import { createHash } from 'node:crypto'
import type { AuditRow, ChainCheck } from './types.ts'

/** A row with the hash of the previous one. */
export interface ChainedRow extends AuditRow {
  readonly before: string
}

/** The action of the row that records a deletion by retention: its target is the seq and hash of the last deleted row. */
export const DROPPED = 'audit.dropped'

export function hashOf(link: Omit<ChainedRow, 'hash'>): string {
  const { seq, time, actor, address, action, target, result, leaves, request, before } = link
  const text = JSON.stringify([seq, time, actor, address, action, target, result, leaves, request, before])
  return createHash('sha256').update(text).digest('hex')
}

export function toChainedRow(row: Record<string, unknown>): ChainedRow {
  const text = (column: string): string => String(row[column])
  return {
    seq: Number(row['seq']),
    time: text('time'),
    actor: text('actor'),
    address: text('address'),
    action: text('action'),
    target: text('target'),
    result: text('result'),
    leaves: text('leaves'),
    request: text('request'),
    before: text('before'),
    hash: text('hash'),
  }
}

export interface Verifier {
  /** Adds the next row, oldest first. */
  add(link: ChainedRow): void
  result(): ChainCheck
}

/** Verifies a chain. Its first row must be number 1, or a later row must record that the rows before it were deleted. */
export function createVerifier(): Verifier {
  let last: ChainedRow | undefined
  let rows = 0
  /** The target of the row that must record the deletion of the rows before the first; '' if none is required. */
  let expected = ''
  let begin = 0
  let broken: { brokenAt: number; why: string } | undefined

  function faultOf(link: ChainedRow): string | undefined {
    if (!last) {
      begin = link.seq
      if (link.before) expected = `${link.seq - 1} ${link.before}`
      if (!link.before !== (link.seq === 1)) return 'the rows before it are missing'
    } else if (link.seq !== last.seq + 1) return `row ${last.seq + 1} is missing`
    else if (link.before !== last.hash) return 'it does not continue the previous row'
    return hashOf(link) === link.hash ? undefined : 'it was changed'
  }

  return {
    add(link) {
      const why = faultOf(link)
      if (why) broken ??= { brokenAt: link.seq, why }
      if (link.action === DROPPED && link.target === expected) expected = ''
      last = link
      rows += 1
    },
    result() {
      const cut = expected ? { brokenAt: begin, why: 'the rows before it are missing' } : undefined
      const fault = broken ?? cut
      return { isWhole: !fault, rows, hash: last?.hash ?? '', ...fault }
    },
  }
}
