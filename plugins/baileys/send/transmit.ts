import type { proto } from '@whiskeysockets/baileys'
import { createKeyedQueue, failpoint, gatewayError } from 'wamux/plugin'
import type { Built } from '../protocol/built.ts'
import { isPerson } from '../protocol/chat-timer.ts'
import type { Relay } from '../socket/relay.ts'
import type { OutgoingRow } from '../store/outgoing.ts'
import type { Ack, Acks } from './acks.ts'
import type { AddressSpace } from './address-space.ts'
import { onWire } from './content.ts'
import type { Participants } from './participants.ts'
import type { Suspects } from './suspects.ts'
import { nameOfToken, type PrivacyToken } from './tokens/privacy-tokens.ts'

export interface TransmitParts {
  /** Writes the stanza. */
  relay: Relay
  acks: Acks
  suspects: Suspects
  privacyToken: PrivacyToken
  space: AddressSpace
  /** Remembers the chat of a message, which its receipts may name otherwise. */
  noteChat(id: string, chat: string): void
  /** A message was handed over; to a person who does not have the account's token it is followed by one. */
  issueToken(chat: string, message: proto.IMessage): void
  participants: Participants
  pace(chat: string): Promise<void>
  /** In the time of the rows. */
  now(): number
  /** The link has ended. */
  isGone(): boolean
}

export interface TransmitOptions {
  /** Runs when it is the message's turn in its chat. */
  prepare?: (() => Promise<void>) | undefined
  /** In the space of addresses that the account is not expected to be in. */
  inOtherSpace?: boolean
}

/** Hands a message to Baileys and resolves with a function that waits for its ack. */
export type Transmit = (
  built: Built,
  row: OutgoingRow,
  options?: TransmitOptions,
) => Promise<() => Promise<Ack>>

/**
 * Writes the frame of a message and waits for its ack.
 *
 * Steps of a message: its turn in the chat, `prepare`, the pace, its turn among the suspects if it is one (suspects.ts),
 * the privacy token, the frame, the ack. The turn in the chat ends when the frame is handed over; for a suspect, only with
 * the ack.
 *
 * Invariants:
 * - Messages of one chat are handed over in the order of the calls. Chats do not wait for each other, except for a trial.
 * - The ack is registered before the frame is written, so that none is missed; its time-out begins after that.
 * - A row is in flight (suspects.ts) from before its frame is written until its answer or error; none is written on an
 *   ended link.
 */
export function createTransmit(parts: TransmitParts): Transmit {
  const { acks, suspects, privacyToken, space, noteChat, issueToken, participants } = parts
  const { pace, now, isGone } = parts
  const chats = createKeyedQueue()

  const write: Transmit = async (built, row, { inOtherSpace = false } = {}) => {
    const { id, chat, message, relay } = onWire(built)
    const address = await space.address(chat, inOtherSpace)
    const number = await space.numberOf(address)
    const additionalAttributes = {
      ...relay.additionalAttributes,
      ...(number ? { peer_recipient_pn: number } : {}),
      ...(await participants.attributesOf(chat)),
    }
    const token = await privacyToken(chat)
    const additionalNodes = [...(relay.additionalNodes ?? []), ...(token ? [token] : [])]
    const end = await suspects.begin(row)
    try {
      if (isGone()) throw gatewayError('STOPPING')
      const ack = acks.expect(id, chat)
      const options = { ...relay, additionalAttributes, additionalNodes }
      await parts.relay(address, message, options).catch((error: unknown) => {
        ack.forget()
        throw error
      })
      row.written = now()
      failpoint('after:relay')
      issueToken(chat, message)
      const sentWith = nameOfToken(token)
      const answer = ack
        .answer()
        .then((got) => {
          const answered = { ...got, token: sentWith, address }
          // The sender does not wait for it; on a link that ends, the next message has a hash, too.
          if (!got.error) participants.compare(built, answered).catch(() => undefined)
          return answered
        })
        .finally(end)
      // The answer may be read later and several times.
      answer.catch(() => undefined)
      return () => answer
    } catch (error) {
      end()
      throw error
    }
  }

  // Until a suspect has its answer, later messages of its chat wait, too.
  const transmit: Transmit = (built, row, options = {}) =>
    chats.run(built.chat, async () => {
      await options.prepare?.()
      await pace(built.chat)
      if (isPerson(built.chat)) noteChat(built.id, built.chat)
      return suspects.run(row, () => write(built, row, options))
    })
  return transmit
}
