import type { BaileysEventMap, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Events, Log } from 'wamux/plugin'
import { listen } from '../socket/listen.ts'

/** What Baileys works out by itself and domain plugins make events of. Messages and receipts have signals of their own. */
export const FORWARDED = [
  'messaging-history.set',
  'chats.upsert',
  'chats.update',
  'chats.delete',
  'contacts.upsert',
  'contacts.update',
  'labels.edit',
  'labels.association',
  'lid-mapping.update',
  'settings.update',
] as const satisfies (keyof BaileysEventMap)[]

export type ForwardedEvent = (typeof FORWARDED)[number]

/** Stanzas that are passed on as they came, by the event of Baileys' own dispatch. */
const STANZAS = { 'CB:presence': 'stanza.presence', 'CB:chatstate': 'stanza.chatstate' } as const

/** Raises a signal for each, `baileys.<name>` and `stanza.<tag>`; `fail` hears of what could not be stored. */
export function forwardEvents(
  wa: WASocket,
  session: string,
  events: Pick<Events, 'raise'>,
  log: Log,
  fail: (error: unknown) => void,
): void {
  for (const name of FORWARDED) {
    // Heard before Baileys' buffer: history.ts.
    if (name === 'messaging-history.set') continue
    listen(wa, log, name, (data) => void events.raise(session, `baileys.${name}`, data as never).catch(fail))
  }
  for (const [tag, name] of Object.entries(STANZAS)) {
    wa.ws.on(tag, (stanza: BinaryNode) => void events.raise(session, name, stanza).catch(fail))
  }
}
