import type { BinaryNode, SignalKeyStore, WASocket } from '@whiskeysockets/baileys'
import { type Events, systemViewer } from 'wamux/plugin'
import type { LearntTimers } from '../journal/learnt-timers.ts'
import type { Linking } from '../pairing/linking.ts'
import { knownAlt } from '../protocol/alt-jid.ts'
import { endedHostedDevice } from '../protocol/business/hosted-list.ts'
import { isIdentityChange } from '../protocol/identity-change.ts'
import { type Me, originOf, type Proof, proofOf, receiptOf, retriedOf } from '../protocol/signals.ts'
import type { ReceiptSignal } from '../sdk.ts'
import type { JournalBeforeAckParts, StanzaKind } from '../socket/journal-before-ack.ts'
import type { StoredMessages } from '../store/stored-messages.ts'
import { createBotAnswers } from './bot-answers.ts'
import type { PrivacyChanges } from './privacy-changes.ts'

interface RouterParts {
  wa: WASocket
  keys: SignalKeyStore
  session: string
  events: Pick<Events, 'raise' | 'unreadable' | 'watch'>
  /** The members of a group may have changed. */
  onGroupChange(stanza: BinaryNode): void
  /** The number may have a new owner. */
  onIdentityChange(pn: string): Promise<void>
  /** The devices of a user may have changed. */
  onDevicesChange(stanza: BinaryNode): void
  /** A person may have given a token, or changed its identity. */
  onContactChange(stanza: BinaryNode): void
  linking: Linking
  me(): Me
  messages: Pick<StoredMessages, 'find'>
  /** The chat that a message was sent to; '' where it was not sent from here. */
  sentTo(id: string): Promise<string>
  timers: Pick<LearntTimers, 'ofNotification'>
  privacyChanges: Pick<PrivacyChanges, 'announced'>
  /** Messages whose outcome a receipt may settle. */
  outcomes: { awaits(ids: readonly string[]): boolean; received(proof: Proof): Promise<void> }
  /** Called before a message is decrypted; decryption waits for the returned promise, and there is none after `handled`. */
  onMessage(stanza: BinaryNode): Promise<void> | 'handled' | undefined
  isOfContent(error: unknown): boolean
  onFailure(error: unknown): void
}

type OnStanza = JournalBeforeAckParts['onStanza']

/** What a stanza of each kind would have become. */
const SIGNALS = {
  message: 'message',
  receipt: 'receipt',
  notification: 'stanza.notification',
  call: 'stanza.call',
} as const satisfies Record<StanzaKind, unknown>

/**
 * Handles each stanza before Baileys acknowledges it; most are journalled. One that can't be handled, for another reason than the
 * storage, is told of and acknowledged like any other: it would come back.
 */
export function stanzaRouter(parts: RouterParts): OnStanza {
  const { session, events, me, isOfContent } = parts
  const handle = handlerOf(parts)
  return (kind, stanza) => {
    const told = async (error: unknown): Promise<void> => {
      if (!isOfContent(error)) throw error
      await events.unreadable(session, SIGNALS[kind], error, [], { origin: () => originOf(stanza, me()) })
    }
    try {
      const ready = handle(kind, stanza)
      return ready instanceof Promise ? ready.catch(told) : ready
    } catch (error) {
      return told(error)
    }
  }
}

function handlerOf(parts: RouterParts): OnStanza {
  const {
    wa,
    keys,
    session,
    events,
    onGroupChange,
    onIdentityChange,
    onDevicesChange,
    onContactChange,
    linking,
    me,
    messages,
    sentTo,
    timers,
    privacyChanges,
    outcomes,
    onMessage,
    onFailure,
  } = parts
  const bots = createBotAnswers({
    session,
    events,
    stored: (chat, id) => messages.find({ chat, id }, systemViewer(session)),
    lid: () => me().lid,
    acknowledge: wa.sendMessageAck,
  })

  const originIn = (stanza: BinaryNode) => () => originOf(stanza, me())

  async function logReceipt(stanza: BinaryNode): Promise<void> {
    const receipt = receiptOf(stanza, me())
    const proof = receipt ? proofOf(receipt) : retriedOf(stanza, me())
    if (proof && outcomes.awaits(proof.ids)) await settle(proof)
    if (!receipt) return
    const senderAlt = await knownAlt(keys, receipt.sender)
    const named = await asSent({ ...receipt, senderAlt })
    await events.raise(session, 'receipt', named, [], { isDeferred: true, origin: originIn(stanza) })
  }

  /** A receipt of a person names the chat as the stanza did; here it has the form in which the message was sent to it. */
  async function asSent(receipt: ReceiptSignal): Promise<ReceiptSignal> {
    const { chat, sender, senderAlt, ids, fromMe } = receipt
    if (fromMe || chat !== sender || !senderAlt || (await sentTo(ids[0] ?? '')) !== senderAlt) return receipt
    return { ...receipt, chat: senderAlt, sender: senderAlt, senderAlt: sender }
  }

  /** A message sent to a phone number may be receipted by its LID. */
  async function settle({ chats, ...proof }: Proof): Promise<void> {
    const alts = await Promise.all(chats.map((chat) => knownAlt(keys, chat)))
    await outcomes.received({ ...proof, chats: [...chats, ...alts.filter(Boolean)] })
  }

  async function logNotification(stanza: BinaryNode): Promise<void> {
    if (isIdentityChange(stanza)) await onIdentityChange(stanza.attrs['from'] ?? '')
    const { writes = [], change } = (await timers.ofNotification(stanza)) ?? {}
    const changed = change && events.raise(session, 'chat.timer', change)
    const logged = events.raise(session, 'stanza.notification', stanza, writes, {
      origin: originIn(stanza),
    })
    await Promise.all([changed, logged, privacyChanges.announced(stanza)])
  }

  async function logCall(stanza: BinaryNode): Promise<void> {
    await events.raise(session, 'stanza.call', stanza, [], { origin: originIn(stanza) })
  }

  return (kind, stanza) => {
    if (kind === 'receipt') return logReceipt(stanza)
    if (kind === 'call') return logCall(stanza)
    if (kind === 'message') {
      if (!bots.claims(stanza)) return onMessage(stanza)
      bots.answer(stanza).catch(onFailure)
      return 'handled'
    }
    onGroupChange(stanza)
    onDevicesChange(stanza)
    const ended = endedHostedDevice(stanza, me())
    if (ended) wa.signalRepository.deleteSession([ended]).catch(onFailure)
    onContactChange(stanza)
    const handled = linking.handle(stanza)
    if (!handled) return logNotification(stanza)
    handled.catch(onFailure)
    return 'handled'
  }
}
