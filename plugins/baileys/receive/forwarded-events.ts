import type { BaileysEventMap, BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Events, GatewaySignals, Log } from 'wamux/plugin'
import { listen } from '../socket/logger.ts'

/** Baileys events that domain plugins translate. Messages and receipts have their own signals. */
const FORWARDED = [
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

/** Stanzas that are forwarded unchanged, by the event under which Baileys dispatches them. */
const STANZAS = { 'CB:presence': 'stanza.presence', 'CB:chatstate': 'stanza.chatstate' } as const

export interface ForwardParts {
  wa: WASocket
  session: string
  events: Pick<Events, 'raise'>
  log: Log
  /** A signal could not be stored. */
  onFailure(error: unknown): void
}

/** Raises a signal for each of them, `baileys.<name>` or `stanza.<tag>`. */
export function forwardEvents({ wa, session, events, log, onFailure }: ForwardParts): void {
  for (const name of FORWARDED) {
    // Raised by the journal, from a stage in front of Baileys' event buffer (socket/history.ts).
    if (name !== 'messaging-history.set') forward(name)
  }
  for (const [tag, name] of Object.entries(STANZAS)) {
    wa.ws.on(tag, (stanza: BinaryNode) => void events.raise(session, name, stanza).catch(onFailure))
  }

  function forward<N extends ForwardedEvent>(name: N): void {
    listen(wa, log, name, (data) => {
      events.raise(session, `baileys.${name}`, data as GatewaySignals[`baileys.${N}`]).catch(onFailure)
    })
  }
}
