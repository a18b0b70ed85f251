import { createHash } from 'node:crypto'

/** `PollType.QUIZ` of the protobuf: a poll with a right answer. */
export const QUIZ = 1

/** SHA-256 of an option's name, by which votes and the right answer of a quiz name it (whatsapp-rust src/features/polls.rs). */
export function pollOptionHash(option: string): Buffer {
  return createHash('sha256').update(option).digest()
}
