import { createHash } from 'node:crypto'

/** The disappearing timers that the apps offer, in seconds. */
export const DISAPPEARING_TIMERS = { off: 0, '24h': 86_400, '7d': 604_800, '90d': 7_776_000 } as const

/**
 * Apps ignore an edit that was written so many seconds after its message, or later; polls, events and newsletter posts may always be
 * edited. AB prop 2983 may set another number.
 */
export const EDIT_WINDOW_SECONDS = 1200

/** `PollType.QUIZ` of the protobuf: a poll with a right answer. */
export const QUIZ = 1

/** SHA-256 of an option's name, by which votes and the right answer of a quiz name it (whatsapp-rust src/features/polls.rs). */
export function pollOptionHash(option: string): Buffer {
  return createHash('sha256').update(option).digest()
}

/** @param time RFC 3339. */
export function unixSeconds(time: string): number {
  return Math.floor(Date.parse(time) / 1000)
}
