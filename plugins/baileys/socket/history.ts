import type { BaileysEventMap } from '@whiskeysockets/baileys'
import type { Emit, Stage } from './stage.ts'

export type HistoryPart = BaileysEventMap['messaging-history.set'] & {
  /** The group whose newest messages these are, as a member has shared them. */
  readonly sharedGroup?: string
}

/**
 * Forwards each part of the history as Baileys emits it. Baileys' event buffer merges the parts of a first link into one,
 * without their phone-to-LID mappings and without chats that it saw before (Utils/event-buffer.js append,
 * consolidateEvents), and drops everything if the link ends in the meantime.
 */
export function forwardHistory(onHistory: (part: HistoryPart) => void): Stage<Emit> {
  return (next) => (event, data) => {
    if (event === 'messaging-history.set') onHistory(data as HistoryPart)
    return next(event, data)
  }
}
