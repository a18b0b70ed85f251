import { createHash } from 'node:crypto'
import type { Row } from '../types/storage.ts'

/**
 * Rows of a table that this process has read and keeps opened, so that only changed ones are opened again: decrypting a row takes
 * eight times as long as comparing it, and with thousands of them holds up the event loop.
 */
export interface KnownRows {
  /** Whether the row is as it was when it was noted. */
  has(row: Row): boolean
  note(row: Row): void
  /** After what was opened has changed in memory: the row is opened again when it is read next. */
  forget(id: string): void
}

export function createKnownRows(): KnownRows {
  const digests = new Map<string, string>()
  return {
    has: (row) => digests.get(String(row['id'])) === digestOf(row),
    note: (row) => void digests.set(String(row['id']), digestOf(row)),
    forget: (id) => void digests.delete(id),
  }
}

function digestOf(row: Row): string {
  let text = ''
  for (const [column, value] of Object.entries(row)) {
    const content = Buffer.isBuffer(value) ? value.toString('latin1') : String(value)
    text += `${column} ${content.length} ${content}`
  }
  return createHash('sha256').update(text).digest('base64url')
}
