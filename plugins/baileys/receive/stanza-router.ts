import type { BinaryNode, SignalKeyStore, WAMessage, WASocket } from '@whiskeysockets/baileys'
import type { Events } from 'wamux/plugin'
import type { Linking } from '../pairing/linking.ts'
import { knownAlt } from '../protocol/alt-jid.ts'
import { type Me, receiptOf } from '../protocol/signals.ts'
import type { JournalParts } from '../socket/journal-before-ack.ts'
import { createBotAnswers } from './bot-answers.ts'

export interface RouterParts {
  wa: WASocket
  keys: SignalKeyStore
  session: string
  events: Pick<Events, 'raise' | 'watch'>
  /** The members of a group may have changed. */
  onGroupChange(stanza: BinaryNode): void
  linking: Linking
  me(): Me
  /** A message received or sent within the retention time. */
  stored(chat: string, id: string): Promise<WAMessage | undefined>
  /** Called before a message is decrypted, which waits for the promise it returns. */
  onMessage(stanza: BinaryNode): Promise<void> | undefined
  onFailure(error: unknown): void
}

/** Handles each stanza before Baileys acknowledges it; most are journalled. */
export function stanzaRouter(parts: RouterParts): JournalParts['onStanza'] {
  const { wa, keys, session, events, onGroupChange, linking, me, stored, onMessage, onFailure } = parts
  const bots = createBotAnswers({
    session,
    events,
    stored,
    lid: () => me().lid,
    acknowledge: wa.sendMessageAck,
  })

  async function logReceipt(stanza: BinaryNode): Promise<void> {
    const receipt = receiptOf(stanza, me())
    if (!receipt) return
    const senderAlt = await knownAlt(keys, receipt.sender)
    await events.raise(session, 'receipt', { ...receipt, senderAlt }, [], { isDeferred: true })
  }

  async function logStanza(name: 'stanza.call' | 'stanza.notification', stanza: BinaryNode): Promise<void> {
    await events.raise(session, name, stanza)
  }

  return (kind, stanza) => {
    if (kind === 'receipt') return logReceipt(stanza)
    if (kind === 'call') return logStanza('stanza.call', stanza)
    if (kind === 'message') {
      if (!bots.claims(stanza)) return onMessage(stanza)
      bots.answer(stanza).catch(onFailure)
      return 'handled'
    }
    onGroupChange(stanza)
    const handled = linking.handle(stanza)
    if (!handled) return logStanza('stanza.notification', stanza)
    handled.catch(onFailure)
    return 'handled'
  }
}
