import type { BaileysEventMap } from '@whiskeysockets/baileys'
import type { Emit, Stage } from './stage.ts'

export type HistoryPart = BaileysEventMap['messaging-history.set']

/**
 * Forwards each part of the history as Baileys has read it. Its event buffer merges the parts of a first link into
 * one, whose phone-to-LID mappings are gone, with chats that it saw before left out (Utils/event-buffer.js
 * append, consolidateEvents), and drops all of it when the link ends meanwhile.
 */
export function forwardHistory(onHistory: (part: HistoryPart) => void): Stage<Emit> {
  return (next) => (event, data) => {
    if (event === 'messaging-history.set') onHistory(data as HistoryPart)
    return next(event, data)
  }
}
