import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Counters } from '../counters.ts'
import type { Device, DeviceLink, Directory } from '../directory/accounts.ts'
import type { Faults } from '../faults/faults.ts'
import { stanzaId } from './unpaired.ts'

/** The network's pings, which companions must answer. */
export interface ServerPings {
  /** Pings all linked companions at once; a companion that does not answer within this time loses its link. */
  now(answerMs?: number): void
  /** Records a companion's answer. */
  answered(device: Device, id: string): void
  close(): void
}

/** WhatsApp's interval and time limit are not known. */
const EVERY_MS = 60_000
const ANSWER_MS = 20_000

export function createServerPings({
  directory,
  counters,
  faults,
}: {
  directory: Directory
  counters: Counters
  faults: Faults
}): ServerPings {
  /** Links by the id of an unanswered ping. */
  const open = new Map<string, DeviceLink>()

  function ping(device: Device, link: DeviceLink, answerMs: number): void {
    const id = stanzaId()
    counters.serverPings += 1
    // Some real pings have no type, and some have a child (WR#783).
    const form = counters.serverPings % 2 === 0 ? {} : { type: 'get' }
    const content = counters.serverPings % 3 === 0 ? [el('ping', {})] : undefined
    const attrs = { from: 's.whatsapp.net', id, t: seconds(), xmlns: 'urn:xmpp:ping', ...form }
    open.set(id, link)
    link.send(el('iq', attrs, content))
    setTimeout(() => {
      if (open.delete(id) && device.link === link && !faults.isSilent(device)) link.close()
    }, answerMs).unref()
  }

  const pings: ServerPings = {
    now(answerMs = ANSWER_MS) {
      for (const { devices } of directory.all())
        for (const device of devices.values())
          if (device.noiseKey && device.link && !faults.isSilent(device)) ping(device, device.link, answerMs)
    },
    answered({ link }, id) {
      if (open.get(id) !== link) return
      open.delete(id)
      counters.serverPongs += 1
    },
    close: () => clearInterval(timer),
  }
  const timer = setInterval(() => pings.now(), EVERY_MS).unref()
  return pings
}

/** Whether the iq answers a query of the network. */
export function isResult({ attrs }: Stanza): boolean {
  return attrs['type'] === 'result' || attrs['type'] === 'error'
}
