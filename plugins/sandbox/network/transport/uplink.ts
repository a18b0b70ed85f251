import { child } from '../../stanza.ts'
import type { PhoneHandler, Stanza, Uplink } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'
import { handleStanza } from './login.ts'
import { route } from './router.ts'
import type { Tap } from './tap.ts'

/** Connects a device that is simulated in this process. */
export function connectDevice(
  state: NetworkState,
  tap: Tap,
  account: AccountState,
  { id, platform }: { id: number; platform: string },
  receive: PhoneHandler['receive'],
): Uplink {
  const { delivery, media } = state
  const stored = state.snapshots.folder ? account.devices.get(id) : undefined
  const device = stored ?? state.directory.addDevice(account, id, undefined, platform)
  // Phones are machines of their own: what is written to clients does not wait for them.
  const send = (stanza: Stanza): void => void setImmediate(() => receive(stanza))
  device.link = tap.link(
    { send, close: () => undefined },
    {
      get phone() {
        return account.phone
      },
      device: id,
    },
  )
  // A restored one first reads its own state.
  device.isActive = !stored
  if (id === 0) device.isAvailable = true
  return {
    send(stanza) {
      state.counters.stanzasIn += 1
      tap.stanza('up', account.phone, id, stanza)
      handleStanza(state, device, stanza)
    },
    async query(iq) {
      tap.stanza('up', account.phone, id, iq)
      const reply = route(state, device, iq)
      tap.stanza('down', account.phone, id, reply)
      if (reply.attrs['type'] !== 'error') return reply
      const error = child(reply, 'error')?.attrs
      throw Object.assign(new Error(`${error?.['text'] ?? 'error'} (${error?.['code'] ?? 500})`), {
        code: Number(error?.['code'] ?? 500),
      })
    },
    async upload(kind, encrypted) {
      if (state.faults.networkWide.refusesUploads) throw new Error('the media host refuses uploads')
      return media.store(kind, encrypted)
    },
    async download(directPath) {
      const data = media.read(directPath)
      if (!data) throw new Error(`no media at ${directPath}`)
      return data
    },
    setOnline(isOn) {
      if (isOn) delivery.flush(device)
      else device.isActive = false
    },
  }
}
