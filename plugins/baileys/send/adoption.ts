import type { CacheStore, GroupMetadata, WASocket } from '@whiskeysockets/baileys'
import { coalesce, failpoint, type GatewayError, gatewayError } from 'wamux/plugin'
import { type Built, encode } from '../protocol/built.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { Sending, Sent } from '../sdk.ts'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import type { AddressSpace } from './address-space.ts'
import { assertFits } from './frame-size.ts'
import type { InFlight } from './in-flight.ts'
import { reach } from './recipients.ts'
import type { Stamp } from './stamp.ts'

/** An older message is not sent when the link is back: its recipient would no longer expect it. */
export const MAX_RESUME_AGE_MS = 10 * 60_000

export interface AdoptionParts {
  wa: WASocket
  devices: CacheStore
  outgoing: Outgoing
  groupOf(jid: string): Promise<GroupMetadata | undefined>
  stamp: Stamp
  space: AddressSpace
  /** Messages that may be in flight at once. */
  queue: number
  /** Whether other processes may store messages of this session, which are sent first. */
  isShared: boolean
  /** In the time of the rows, which another process may have written. */
  now(): number
  /** A message stored by another process has its outcome. */
  onOutcome(id: string): void
  inFlight: InFlight
  isGone(): boolean
  fail(row: OutgoingRow, error: GatewayError, isRefused: boolean): Promise<never>
  deliver(built: Built, row: OutgoingRow): Promise<Sent>
}

/** Sends the messages that other processes stored for this link, in their order. */
export function createAdoption(parts: AdoptionParts) {
  const { wa, devices, outgoing, inFlight, fail } = parts

  /** Does what a send of this process does before its row is stored. */
  async function adopt(row: OutgoingRow): Promise<Sending> {
    const { id, chat } = row
    const stored = outgoing.rebuild(row)
    let built = stored
    if (row.created < parts.now() - MAX_RESUME_AGE_MS) return fail(row, gatewayError('NETWORK_SILENT'), false)
    try {
      const { address } = await reach(wa, devices, parts.space, chat)
      built = await parts.stamp(stored)
      await assertFits(parts, { chat: address, size: encode(built).length })
    } catch (error) {
      const refusal = refusalOf(error, 'send')
      return fail(row, refusal, refusal.status < 500)
    }
    await (built === stored ? outgoing.again(row) : outgoing.changed(row, built))
    failpoint('after:adopted')
    return { id, isReplay: false, isEnded: false, sent: parts.deliver(built, row) }
  }

  const picking = coalesce(async () => {
    if (parts.isGone()) return
    for (const row of await outgoing.queued()) {
      const { id, fingerprint } = row
      // The send in flight may fail before it has stored anything.
      if (inFlight.has(id)) {
        void inFlight
          .settled(id)
          .then(pickUp)
          .catch(() => undefined)
        continue
      }
      if (inFlight.size >= parts.queue) return
      const sending = adopt(row)
      inFlight.add(id, fingerprint, sending)
      void inFlight.settled(id).then(() => parts.onOutcome(id))
      await sending.catch(() => undefined)
    }
  })

  /** There is nothing to find unless other processes store messages of the session. */
  function pickUp(): Promise<void> {
    return parts.isShared ? picking.run() : Promise.resolve()
  }

  return { adopt, pickUp }
}
