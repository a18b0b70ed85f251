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
  /** The link has ended. */
  /** As rows have it. */
  now(): number
  isGone(): boolean
}

/** Hands a message to Baileys; what it answers waits for the ack. */
export type Transmit = (built: Built, row: OutgoingRow) => Promise<() => Promise<Ack>>

/** Messages of one chat leave in their order, those of different chats side by side. */
export function createTransmit({ wa, acks, suspects, pace, now, isGone }: TransmitParts): Transmit {
  const chats = createKeyedQueue()

  const transmit: Transmit = async (built, row) => {
    const { id, chat, message, relay } = onWire(built)
    await pace(chat)
    if (isGone()) throw gatewayError('STOPPING')
    const ack = acks.expect(id)
    // What the end of the link rejects stays under way: `blame` comes after the first of it.
    const end = (): unknown => isGone() || suspects.end(row)
    suspects.begin(row)
    await wa.relayMessage(chat, message, relay).catch((error: unknown) => {
      ack.forget()
      end()
      throw error
    })
    row.written = now()
    failpoint('after:relay')
    return () => ack.answer().finally(end)
  }

  /** The rest of its chat waits for the answer, too. */
  const transmitAlone: Transmit = (built, row) =>
    suspects.alone(async () => {
      const answer = await transmit(built, row)
      await answer().catch(() => undefined)
      return answer
    })

  return (built, row) => chats.run(built.chat, () => (row.breaks > 0 ? transmitAlone : transmit)(built, row))
}
