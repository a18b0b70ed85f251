import { randomUUID } from 'node:crypto'
import type { EventDeclaration, LogEvent, NewEvent } from '../types/events.ts'
import type { Row, Vault } from '../types/storage.ts'
import type { SessionVault } from '../vault/vault.ts'

/** The row of a new event, without seq and body. */
export function toRow(
  vault: SessionVault,
  session: string,
  { type, chat, key, time, ...event }: NewEvent,
  declared: ReadonlyMap<string, EventDeclaration>,
) {
  return {
    id: eventId(vault.uniqueIndex(session, 'events/id', JSON.stringify([type, key ?? randomUUID()]))),
    session,
    class: event.class ?? declared.get(type)?.class ?? 'All',
    type,
    // Only compared, never read back.
    lane: chat ? laneOf(vault, session, chat) : session,
    time: time ?? new Date().toISOString(),
    logged: Date.now(),
  }
}

export function laneOf(vault: Vault, session: string, chat: string): string {
  return vault.index(session, 'events/lane', chat)
}

/**
 * The body is parsed when first read: most readers pass on its JSON. No closure here may use `row`, which would retain the
 * sealed body with the event.
 */
export function toEvent(row: Row, json: string): LogEvent {
  let body: Record<string, unknown> | undefined
  return {
    seq: Number(row['seq']),
    id: String(row['id']),
    session: String(row['session']),
    class: String(row['class']),
    type: String(row['type']),
    lane: String(row['lane']),
    time: String(row['time']),
    json,
    logged: Number(row['logged']),
    get body() {
      body ??= JSON.parse(json) as Record<string, unknown>
      return body
    },
  }
}

export const placeOf = (id: string): string => `events/${id}`

export function openBody(vault: Vault, { id, session, body }: Row): string {
  return vault.open(String(session), placeOf(String(id)), body as Buffer).toString()
}

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567'

/** `evt_` and an index in base-32 digits: keys of events identify people, and a plain hash could be reversed by guessing. */
function eventId(index: string): string {
  let id = ''
  let bits = 0
  let value = 0
  for (const byte of Buffer.from(index, 'base64url').reverse()) {
    value |= byte << bits
    bits += 8
    for (; bits >= 5; bits -= 5) {
      id = ALPHABET[value & 31] + id
      value >>>= 5
    }
  }
  return `evt_${ALPHABET[value]}${id}`
}
