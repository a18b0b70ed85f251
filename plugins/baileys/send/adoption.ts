import type { CacheStore, GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import { failpoint, type GatewayError, gatewayError } from 'wamux/plugin'
import { type Built, encode } from '../protocol/built.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { Sending, Sent } from '../sdk.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import { coalesced } from './coalesced.ts'
import { assertFits } from './frame-size.ts'
import { assertReachable } from './recipients.ts'

/** An older message is not sent any more when a link comes back: its recipient would not expect it. */
export const MAX_RESUME_AGE_MS = 10 * 60_000

export interface AdoptionParts {
  wa: WASocket
  devices: CacheStore
  outgoing: Outgoing
  groupOf(jid: string): Promise<GroupMetadata | undefined>
  /** Messages that may be in flight at once. */
  queue: number
  /** Whether other processes store messages of this session, which go before later ones. */
  isShared: boolean
  /** As rows have it: another process may have written them. */
  now(): number
  /** A message that another process has stored has its outcome. */
  onOutcome(id: string): void
  /** Messages in flight. */
  running: ReadonlyMap<string, { settled: Promise<void> }>
  isGone(): boolean
  remember(id: string, fingerprint: string, work: Promise<unknown>): void
  fail(row: OutgoingRow, error: GatewayError, isRefused: boolean): Promise<never>
  deliver(built: Built, row: OutgoingRow): Promise<Sent>
}

/** Sends what other processes have stored for the link, in its order. */
export function createAdoption(parts: AdoptionParts) {
  const { wa, devices, outgoing, running, fail } = parts

  /** What an own send does before its row is stored. */
  async function adopt(row: OutgoingRow): Promise<Sending> {
    const { id, chat } = row
    const built = outgoing.rebuild(row)
    if (row.created < parts.now() - MAX_RESUME_AGE_MS) return fail(row, gatewayError('NETWORK_SILENT'), false)
    try {
      await assertReachable(wa, devices, chat, undefined)
      await assertFits(parts, { chat, size: encode(built).length })
    } catch (error) {
      const refusal = refusalOf(error, 'send')
      return fail(row, refusal, refusal.status < 500)
    }
    await outgoing.again(row)
    failpoint('after:adopted')
    return { id, isReplay: false, sent: parts.deliver(built, row) }
  }

  const pickUp = coalesced(async () => {
    if (!parts.isShared || parts.isGone()) return
    for (const row of await outgoing.queued()) {
      const { id, fingerprint } = row
      const twin = running.get(id)
      // It may fail before it has stored anything.
      if (twin) {
        void twin.settled.then(pickUp).catch(() => undefined)
        continue
      }
      if (running.size >= parts.queue) return
      const sending = adopt(row)
      const settled = sending.then(({ sent }) => sent)
      parts.remember(id, fingerprint, settled)
      const ended = (): void => parts.onOutcome(id)
      settled.then(ended, ended)
      await sending.catch(() => undefined)
    }
  })

  return { adopt, pickUp }
}
