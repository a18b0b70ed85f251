import { randomBytes } from 'node:crypto'
import { el, parseJid, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { AccountState, Device } from './accounts.ts'
import type { Counters } from './counters.ts'
import type { Faults } from './faults.ts'

/** Brings stanzas to devices: at once, or when they come back; again until they are acknowledged. */
export interface Delivery {
  /** Kept in the device's queue until it is acknowledged. */
  deliver(device: Device, stanza: Stanza): void
  /** Only if it is on line now: presence and typing. */
  whisper(device: Device, stanza: Stanza): void
  /** To every device of an account but `except`. */
  toAccount(account: AccountState, stanza: Stanza, except?: Device): void
  /** A device acknowledged `id` of a class; `from` are JIDs that the acknowledgement names. */
  acknowledge(device: Device, kind: string, id: string, from: readonly (string | undefined)[]): void
  /** The device is ready: everything that waits goes out, marked as offline. */
  flush(device: Device): void
  /** The last `count` messages that the device has seen go out to it once more. */
  redeliver(device: Device, count: number): void
  notify(device: Device, type: string, content: Stanza[], attrs?: Record<string, string | undefined>): void
}

/** A device that never comes back may not fill the memory. */
const QUEUE_MOST = 50_000
/** Messages remembered for `redeliver`. */
const SEEN_MOST = 50

export function createDelivery(counters: Counters, faults: Faults): Delivery {
  const seen = new WeakMap<Device, Stanza[]>()

  const send = (device: Device, stanza: Stanza): void => {
    const { link } = device
    if (!link || faults.isSilent(device)) return
    counters.stanzasOut += 1
    faults.delayed(device, () => link.send(stanza))
  }

  function enqueue(device: Device, stanza: Stanza): void {
    const key = keyOf(stanza.tag, stanza.attrs['id'] ?? '')
    const waiting = device.queue.get(key)
    if (waiting) waiting.push(stanza)
    else device.queue.set(key, [stanza])
    if (device.queue.size <= QUEUE_MOST) return
    const [oldest] = device.queue.keys()
    if (oldest !== undefined) device.queue.delete(oldest)
  }

  const delivery: Delivery = {
    deliver(device, sent) {
      if (sent.tag === 'receipt' && faults.holds(device, sent)) return
      const stanza = sent.tag === 'message' ? faults.passed(device, sent) : sent
      enqueue(device, stanza)
      if (stanza.tag === 'message') remember(seen, device, stanza)
      if (device.isActive) send(device, stanza)
    },
    whisper(device, stanza) {
      if (device.isActive) send(device, stanza)
    },
    toAccount(account, stanza, except) {
      for (const device of account.devices.values()) if (device !== except) delivery.deliver(device, stanza)
    },
    acknowledge(device, kind, id, from) {
      const key = keyOf(kind, id)
      const waiting = device.queue.get(key)
      if (!waiting) return
      // Two senders may choose the same id; the names in the acknowledgement tell them apart.
      const users = new Set(from.map((jid) => parseJid(jid)?.user).filter(Boolean))
      const index = waiting.findIndex((stanza) => isNamed(stanza, users))
      waiting.splice(Math.max(index, 0), 1)
      if (waiting.length === 0) device.queue.delete(key)
    },
    flush(device) {
      device.isActive = true
      let count = 0
      for (const stanza of [...device.queue.values()].flat()) {
        send(device, { ...stanza, attrs: { ...stanza.attrs, offline: String(count++) } })
      }
      send(device, el('ib', { from: 's.whatsapp.net' }, [el('offline', { count })]))
    },
    redeliver(device, count) {
      for (const stanza of (seen.get(device) ?? []).slice(-count)) {
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

function remember(seen: WeakMap<Device, Stanza[]>, device: Device, stanza: Stanza): void {
  const stanzas = seen.get(device) ?? []
  stanzas.push(stanza)
  if (stanzas.length > SEEN_MOST) stanzas.shift()
  seen.set(device, stanzas)
}
