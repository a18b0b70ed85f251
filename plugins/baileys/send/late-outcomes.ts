import type { WASocket } from '@whiskeysockets/baileys'
import type { GatewayError, GatewaySignals, RaiseOptions, Write } from 'wamux/plugin'
import { sentMessage } from '../protocol/sent-message.ts'
import type { Proof } from '../protocol/signals.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import type { Traffic } from '../traffic.ts'
import type { Ack } from './acks.ts'
import type { NewChatRefusals } from './tokens/new-chat-refusals.ts'

export interface LateOutcomeParts {
  wa: WASocket
  outgoing: Outgoing
  /** A message with that id is being sent: its own ack tells its outcome. */
  isUnderWay(id: string): boolean
  logSent(
    sent: GatewaySignals['message.sent'],
    writes: readonly Write[],
    options: RaiseOptions,
  ): Promise<unknown>
  /** Logs and stores the refusal of a message. */
  refuse(row: OutgoingRow, error: GatewayError, network: string): Promise<unknown>
  refusals: Pick<NewChatRefusals, 'refusalOf'>
  onOutcome(id: string): void
  onFailure(error: unknown): void
  traffic: Traffic
}

/** Corrects the outcome of messages that were not acknowledged in time or were given up, from later acks and receipts. */
export interface LateOutcomes {
  /** The message has ended without success. */
  add(id: string): void
  /** Whether a receipt for one of these messages could change its outcome. */
  awaits(ids: readonly string[]): boolean
  /** Takes an ack that nothing waits for. */
  acked(id: string, ack: Ack): void
  /** Resolves when the correction is committed. */
  received(proof: Proof): Promise<void>
}

/** Per session; older messages keep their outcome. */
const MOST = 5_000

/**
 * Most receipts belong to acknowledged messages, so the check for others uses memory only. A receipt counts only if it
 * comes from the chat to which the message was sent: others could make up its id.
 */
export function createLateOutcomes(parts: LateOutcomeParts): LateOutcomes {
  const { wa, outgoing, isUnderWay, logSent, refuse, onOutcome, onFailure, traffic } = parts
  const unsettled = new Set<string>()
  let isLoaded = false
  const loaded = load()
  loaded.catch(onFailure)

  async function load(): Promise<void> {
    for (const id of (await outgoing.unsettled(MOST)).reverse()) add(id)
    isLoaded = true
  }

  function add(id: string): void {
    unsettled.add(id)
    const [oldest] = unsettled.size > MOST ? unsettled : []
    if (oldest !== undefined) unsettled.delete(oldest)
  }

  /** The row of an id that has ended without success. Claims the id: a second caller gets undefined. */
  async function take(id: string, chats?: readonly string[]): Promise<OutgoingRow | undefined> {
    await loaded
    if (!unsettled.delete(id)) return undefined
    const row = await outgoing.find(id)
    if (!row || (row.state !== 'unknown' && row.state !== 'failed') || isUnderWay(id)) return undefined
    if (!chats || chats.includes(row.chat)) return row
    add(id)
    return undefined
  }

  async function sent(row: OutgoingRow, time: number): Promise<void> {
    const { traceparent, annotations, relay } = row
    const timestamp = new Date(time).toISOString()
    const message = sentMessage(wa, outgoing.rebuild(row), time)
    const acked = [outgoing.acked(row, timestamp)]
    const audience = relay.statusJidList
    await logSent({ message, annotations, audience, corrects: true }, acked, { traceparent })
    traffic.acked += 1
    onOutcome(row.id)
  }

  async function settle(id: string, { error, time }: Ack): Promise<void> {
    const row = await take(id)
    if (!row) return
    if (!error) return sent(row, time)
    // A refusal stays a refusal.
    if (row.state !== 'unknown') return
    await refuse(row, await parts.refusals.refusalOf(error, outgoing.rebuild(row)), error)
  }

  return {
    add,
    awaits: (ids) => !isLoaded || ids.some((id) => unsettled.has(id)),
    acked: (id, ack) => void settle(id, ack).catch(onFailure),
    async received({ chats, ids, time }) {
      for (const id of ids) {
        const row = await take(id, chats)
        // The network accepted it before the receipt and after the frame was handed over.
        if (row) await sent(row, Math.min(time, row.written || time))
      }
    },
  }
}
