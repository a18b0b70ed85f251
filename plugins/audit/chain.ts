import { createHash } from 'node:crypto'
import type { AuditRow, AuditVerdict } from './types.ts'

/** A row with the hash of the one before. */
export interface Link extends AuditRow {
  readonly before: string
}

/** The action of the row that tells which rows retention has dropped: its target is the last one's seq and hash. */
export const DROPPED = 'audit.dropped'

export function hashOf(link: Omit<Link, 'hash'>): string {
  const { seq, time, actor, address, action, target, result, request, before } = link
  const text = JSON.stringify([seq, time, actor, address, action, target, result, request, before])
  return createHash('sha256').update(text).digest('hex')
}

export function toLink(row: Record<string, unknown>): Link {
  const text = (column: string): string => String(row[column])
  return {
    seq: Number(row['seq']),
    time: text('time'),
    actor: text('actor'),
    address: text('address'),
    action: text('action'),
    target: text('target'),
    result: text('result'),
    request: text('request'),
    before: text('before'),
    hash: text('hash'),
  }
}

export interface Verifier {
  /** The next row, oldest first. */
  take(link: Link): void
  verdict(): AuditVerdict
}

/** Walks a chain. Its first row must be number 1, or a later row must say that those before were dropped. */
export function createVerifier(): Verifier {
  let last: Link | undefined
  let rows = 0
  /** What a row must say for the chain to begin where it does; '' for nothing. */
  let wanted = ''
  let begin = 0
  let broken: { brokenAt: number; why: string } | undefined

  function judge(link: Link): string | undefined {
    if (!last) {
      begin = link.seq
      if (link.before) wanted = `${link.seq - 1} ${link.before}`
      if (!link.before !== (link.seq === 1)) return 'the rows before it are missing'
    } else if (link.seq !== last.seq + 1) return `row ${last.seq + 1} is missing`
    else if (link.before !== last.hash) return 'it does not follow from the row before'
    return hashOf(link) === link.hash ? undefined : 'it was changed'
  }

  return {
    take(link) {
      const why = judge(link)
      if (why) broken ??= { brokenAt: link.seq, why }
      if (link.action === DROPPED && link.target === wanted) wanted = ''
      last = link
      rows += 1
    },
    verdict() {
      const cut = wanted ? { brokenAt: begin, why: 'the rows before it are missing' } : undefined
      const fault = broken ?? cut
      return { isWhole: !fault, rows, hash: last?.hash ?? '', ...fault }
    },
  }
}
