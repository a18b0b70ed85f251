import type { BinaryNode, SignalKeyStore, WAMessage, WASocket } from '@whiskeysockets/baileys'
import type { Events } from 'wamux/plugin'
import { knownAlt } from './alt-jid.ts'
import { createBotAnswers } from './bot-answers.ts'
import type { GateParts } from './gate.ts'
import type { GroupCache } from './group-cache.ts'
import type { Linking } from './linking.ts'
import { type Me, receiptOf } from './signals.ts'

export interface ArrivalParts {
  wa: WASocket
  keys: SignalKeyStore
  session: string
  events: Pick<Events, 'raise' | 'watch'>
  groups: GroupCache
  linking: Linking
  me(): Me
  /** A message of the last days. */
  stored(chat: string, id: string): Promise<WAMessage | undefined>
  /** A message is about to be decrypted. What it returns is awaited first. */
  onMessage(stanza: BinaryNode): Promise<void> | undefined
  onFailure(error: unknown): void
}

/** What the gateway does with each stanza before Baileys acknowledges it: mostly, journal it. */
export function arrivals(parts: ArrivalParts): GateParts['before'] {
  const { wa, keys, session, events, groups, linking, me, stored, onMessage, onFailure } = parts
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
    await events.raise(session, 'receipt', { ...receipt, senderAlt: await knownAlt(keys, receipt.sender) })
  }

  async function logStanza(name: 'stanza.call' | 'stanza.notification', stanza: BinaryNode): Promise<void> {
    await events.raise(session, name, stanza)
  }

  return (kind, stanza) => {
    if (kind === 'receipt') return logReceipt(stanza)
    if (kind === 'call') return logStanza('stanza.call', stanza)
    if (kind === 'message') {
      if (!bots.claims(stanza)) return onMessage(stanza)
      bots.take(stanza).catch(onFailure)
      return 'taken'
    }
    groups.take(stanza)
    const taken = linking.take(stanza)
    if (!taken) return logStanza('stanza.notification', stanza)
    taken.catch(onFailure)
    return 'taken'
  }
}
