import { randomBytes } from 'node:crypto'
import { el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Counters } from '../counters.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { Faults } from '../faults/faults.ts'
import { createOfflineQueue } from './offline-queue.ts'
import { dropExpired } from './statuses.ts'

/** Delivers stanzas to devices, at once or on reconnect, until they are acknowledged. */
export interface StanzaDelivery {
  /** Queues the stanza until the device acknowledges it. */
  deliver(device: Device, stanza: Stanza): void
  /** Sends presence or typing if the device is online, without queueing. */
  sendTransient(device: Device, stanza: Stanza): void
  /** Delivers to every device of an account except `except`. */
  deliverToAccount(account: AccountState, stanza: Stanza, except?: Device): void
  /** Removes an acknowledged stanza from the queue; `from` are the JIDs in the acknowledgement. */
  acknowledge(device: Device, kind: string, id: string, from: readonly (string | undefined)[]): void
  /** The unacknowledged stanzas with this id. */
  queued(device: Device, kind: string, id: string): readonly Stanza[]
  /** Begins to send the device's queue, each stanza with its `offline` attribute; live stanzas follow after its end. */
  flush(device: Device): void
  /** Sends `count` more of them, on the device's request. */
  nextBatch(device: Device, count: number): void
  /** Sends the last `count` messages delivered to the device again. */
  redeliver(device: Device, count: number): void
  notify(device: Device, type: string, content: Stanza[], attrs?: Record<string, string | undefined>): void
}

/** Limits the memory for a device that never reconnects. */
const MAX_QUEUE = 50_000
/** Messages stored for `redeliver`. */
const MAX_DELIVERED = 50

export function createDelivery(counters: Counters, faults: Faults): StanzaDelivery {
  const delivered = new WeakMap<Device, Stanza[]>()

  const send = (device: Device, stanza: Stanza): void => {
    const { link } = device
    if (!link || faults.isSilent(device)) return
    counters.stanzasOut += 1
    faults.delay(device, () => link.send(stanza))
  }

  function enqueue(device: Device, stanza: Stanza): void {
    const key = keyOf(stanza.tag, stanza.attrs['id'] ?? '')
    const queued = device.queue.get(key)
    if (queued) queued.push(stanza)
    else device.queue.set(key, [stanza])
    if (device.queue.size <= MAX_QUEUE) return
    const [oldest] = device.queue.keys()
    if (oldest !== undefined) device.queue.delete(oldest)
  }

  const offline = createOfflineQueue(counters, faults, send)

  const delivery: StanzaDelivery = {
    deliver(device, sent) {
      if (faults.withhold(device, sent)) return
      const stanza = isContent(sent) ? faults.corrupt(device, sent) : sent
      enqueue(device, stanza)
      if (isContent(stanza)) recordDelivered(delivered, device, stanza)
      if (device.isActive) send(device, stanza)
    },
    sendTransient(device, stanza) {
      if (device.isActive) send(device, stanza)
    },
    deliverToAccount(account, stanza, except) {
      for (const device of account.devices.values()) if (device !== except) delivery.deliver(device, stanza)
    },
    acknowledge(device, kind, id, from) {
      const key = keyOf(kind, id)
      const waiting = device.queue.get(key)
      if (!waiting) return
      if (waiting.length === 1) {
        device.queue.delete(key)
        return
      }
      // Two senders may use the same id; the JIDs in the acknowledgement distinguish them.
      const users = new Set(from.map((jid) => parseJid(jid)?.user).filter(Boolean))
      const index = waiting.findIndex((stanza) => isNamed(stanza, users))
      waiting.splice(Math.max(index, 0), 1)
    },
    queued: (device, kind, id) => device.queue.get(keyOf(kind, id)) ?? [],
    flush(device) {
      dropExpired(device.queue)
      offline.begin(device, (sent) => {
        device.isActive = true
        for (const stanza of [...device.queue.values()].flat()) if (!sent.has(stanza)) send(device, stanza)
      })
    },
    nextBatch: offline.next,
    redeliver(device, count) {
      for (const stanza of (delivered.get(device) ?? []).slice(-count)) {
        enqueue(device, stanza)
        send(device, { ...stanza, attrs: { ...stanza.attrs, offline: '0' } })
      }
    },
    notify(device, type, content, attrs = {}) {
      const id = randomBytes(8).toString('hex')
      delivery.deliver(
        device,
        el('notification', { from: 's.whatsapp.net', ...attrs, type, id, t: seconds() }, content),
      )
    },
  }
  return delivery
}

function isContent({ tag }: Stanza): boolean {
  return tag === 'message' || tag === 'status'
}

function keyOf(kind: string, id: string): string {
  return `${kind} ${id}`
}

function isNamed({ attrs }: Stanza, users: ReadonlySet<string | undefined>): boolean {
  const names = [
    attrs['participant'] ?? attrs['from'],
    attrs['participant_pn'],
    attrs['participant_lid'],
    attrs['sender_pn'],
    attrs['sender_lid'],
  ]
  return names.some((jid) => jid !== undefined && users.has(parseJid(jid)?.user))
}

function recordDelivered(delivered: WeakMap<Device, Stanza[]>, device: Device, stanza: Stanza): void {
  const stanzas = delivered.get(device) ?? []
  stanzas.push(stanza)
  if (stanzas.length > MAX_DELIVERED) stanzas.shift()
  delivered.set(device, stanzas)
}
