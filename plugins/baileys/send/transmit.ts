import type { WASocket } from '@whiskeysockets/baileys'
import { createKeyedQueue, failpoint, gatewayError } from 'wamux/plugin'
import type { Built } from '../protocol/built.ts'
import type { OutgoingRow } from '../store/outgoing.ts'
import type { Ack, Acks } from './acks.ts'
import { onWire } from './content.ts'
import type { Suspects } from './suspects.ts'

export interface TransmitParts {
  wa: WASocket
  acks: Acks
  suspects: Suspects
  pace(chat: string): Promise<void>
  /** As rows have it. */
  now(): number
  /** The link has ended. */
  isGone(): boolean
}

/** Hands a message to Baileys; what it answers waits for the ack. `prepare` runs when the message has its turn in its chat. */
export type Transmit = (
  built: Built,
  row: OutgoingRow,
  prepare?: () => Promise<void>,
) => Promise<() => Promise<Ack>>

/** Messages of one chat leave in their order, those of different chats side by side. */
export function createTransmit({ wa, acks, suspects, pace, now, isGone }: TransmitParts): Transmit {
  const chats = createKeyedQueue()

  const relay: Transmit = async (built, row) => {
    const { id, chat, message, relay } = onWire(built)
    const end = await suspects.begin(row)
    try {
      if (isGone()) throw gatewayError('STOPPING')
      const ack = acks.expect(id, chat)
      await wa.relayMessage(chat, message, relay).catch((error: unknown) => {
        ack.forget()
        throw error
      })
      row.written = now()
      failpoint('after:relay')
      const answer = ack.answer().finally(end)
      // It may be asked for later, and more than once.
      answer.catch(() => undefined)
      return () => answer
    } catch (error) {
      end()
      throw error
    }
  }

  // The rest of the chat of a suspect waits for its answer, too.
  const transmit: Transmit = (built, row, prepare) =>
    chats.run(built.chat, async () => {
      await prepare?.()
      await pace(built.chat)
      return suspects.run(row, () => relay(built, row))
    })
  return transmit
}
