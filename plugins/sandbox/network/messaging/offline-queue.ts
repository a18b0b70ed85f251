import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Counters } from '../counters.ts'
import type { Device, DeviceLink } from '../directory/accounts.ts'
import type { Faults } from '../faults/faults.ts'
import { bulletin, threadMetadata } from './bulletins.ts'

/**
 * Sends a device its queue at the pace that it requests: the number of stanzas, a few of them, then a batch for each
 * `offline_batch`, and the end. Live stanzas wait for the end.
 */
export interface OfflineQueue {
  /** Begins, unless it has begun on this link. At the end it calls `done` with what was queued at the beginning. */
  begin(device: Device, done: (sent: ReadonlySet<Stanza>) => void): void
  /** Sends `count` more stanzas, on the device's request. */
  next(device: Device, count: number): void
}

interface Sending {
  readonly link: DeviceLink
  readonly stanzas: readonly Stanza[]
  sent: number
  done(): void
}

/** Stanzas sent before the device requests any. */
const PRIMER = 5

export function createOfflineQueue(
  counters: Counters,
  faults: Faults,
  send: (device: Device, stanza: Stanza) => void,
): OfflineQueue {
  const running = new WeakMap<Device, Sending>()

  function current(device: Device): Sending | undefined {
    const sending = running.get(device)
    return sending && sending.link === device.link ? sending : undefined
  }

  function sendNext(device: Device, sending: Sending, count: number): void {
    const { stanzas } = sending
    for (const stanza of stanzas.slice(sending.sent, sending.sent + count)) {
      send(device, { ...stanza, attrs: { ...stanza.attrs, offline: String(sending.sent) } })
      sending.sent += 1
      if (faults.cutsQueue(device)) return sending.link.close()
    }
    if (sending.sent < stanzas.length) return
    running.delete(device)
    // Ends the priority messages, which the real network sends first; there are none here.
    if (device.id !== 0) send(device, bulletin(el('priority_offline_complete', {})))
    send(device, bulletin(el('offline', { count: stanzas.length })))
    sending.done()
  }

  return {
    begin(device, done) {
      const { link } = device
      if (!link || current(device)) return
      const stanzas = [...device.queue.values()].flat()
      const sending: Sending = { link, stanzas, sent: 0, done: () => done(new Set(stanzas)) }
      running.set(device, sending)
      if (device.id !== 0 && stanzas.length > 0) send(device, threadMetadata(stanzas))
      send(device, bulletin(el('offline_preview', countsOf(stanzas))))
      // What is simulated in this process needs no flow control.
      const isPushed = !device.noiseKey || faults.networkWide.pushesQueue
      sendNext(device, sending, isPushed ? stanzas.length : PRIMER)
    },
    next(device, count) {
      const sending = current(device)
      counters.offlineBatches += 1
      if (sending && count > 0) sendNext(device, sending, count)
    },
  }
}

function countsOf(stanzas: readonly Stanza[]): Record<string, number> {
  const of = (kind: string): number => stanzas.filter(({ tag }) => tag === kind).length
  return {
    count: stanzas.length,
    message: of('message'),
    notification: of('notification'),
    receipt: of('receipt'),
    call: of('call'),
    status: of('status'),
    appdata: 0,
  }
}
