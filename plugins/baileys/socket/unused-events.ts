import type { Emit, Stage } from './stage.ts'

/** Messages and receipts have their own signals, raised by the journal; groups have their stanzas. */
const UNUSED: ReadonlySet<string> = new Set([
  'messages.upsert',
  'messages.update',
  'messages.delete',
  'messages.reaction',
  'message-receipt.update',
  'groups.update',
])

/**
 * Drops events that nothing reads. While messages keep arriving, Baileys' event buffer holds each of them for up to 30
 * seconds, and goes through all of them for every further one (Utils/event-buffer.js emit).
 */
export function dropUnusedEvents(): Stage<Emit> {
  return (next) => (event, data) => (UNUSED.has(event) ? true : next(event, data))
}
