import type { BaileysEventMap, WASocket } from '@whiskeysockets/baileys'

/**
 * Hears of each part of the history as Baileys has read it. Its event buffer melts the parts of a first link into
 * one, whose phone-to-LID mappings are gone, with chats that it saw before left out (Utils/event-buffer.js
 * append, consolidateEvents), and drops all of it when the link ends meanwhile.
 */
export function hearHistory(
  wa: WASocket,
  hear: (part: BaileysEventMap['messaging-history.set']) => void,
): void {
  const emit = wa.ev.emit.bind(wa.ev)
  wa.ev.emit = (event, data) => {
    if (event === 'messaging-history.set') hear(data as BaileysEventMap['messaging-history.set'])
    return emit(event, data)
  }
}
