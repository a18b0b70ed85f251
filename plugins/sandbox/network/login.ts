import { child, el, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { Device } from './accounts.ts'
import { takeCall } from './calls.ts'
import type { Hello, Peer } from './connection.ts'
import { requestLinkCode } from './linkcode.ts'
import { answerCompanion } from './media-retry.ts'
import { leavePresence, takeChatState, takePresence } from './presence.ts'
import { takeAck, takeReceipt } from './receipts.ts'
import { takeMessage } from './relay.ts'
import { result, route } from './router.ts'
import type { NetworkState } from './state.ts'
import { hearUnpaired } from './unpaired.ts'

/** Says who a connection belongs to: a linked companion, a new one that wants to link, or nobody. */
export function admit(state: NetworkState, hello: Hello): Peer | undefined {
  const payload = state.wire.proto.ClientPayload.decode(hello.payload)
  if (payload.devicePairingData) return admitUnpaired(state, hello, payload.devicePairingData)
  const account = state.directory.find(String(payload.username ?? ''))
  const device = account?.devices.get(payload.device ?? -1)
  const isKnown = device?.noiseKey?.equals(hello.clientKey)
  const failure = !device || !isKnown ? '401' : state.faults.failure(device.account)
  if (failure || !device) {
    hello.link.close(el('failure', { reason: failure, location: 'sandbox' }))
    return undefined
  }
  return admitDevice(state, hello, device)
}

function admitDevice(state: NetworkState, { link }: Hello, device: Device): Peer {
  // One connection a device: the older is told that it was replaced.
  device.link?.close(el('stream:error', {}, [el('conflict', { type: 'replaced' })]))
  device.link = link
  device.isActive = false
  leavePresence(state, device)
  state.counters.logins += 1
  link.send(
    el('success', {
      t: seconds(),
      lid: device.lid,
      display_name: device.account.name,
      companion_enc_static: '',
    }),
  )
  return {
    hear: (stanza) => hear(state, device, stanza),
    gone() {
      if (device.link !== link) return
      device.link = undefined
      device.isActive = false
      leavePresence(state, device)
      state.newsletters.unwatch(device)
    },
  }
}

function admitUnpaired(
  state: NetworkState,
  { link, clientKey }: Hello,
  registration: Parameters<NetworkState['unpairs']['add']>[2],
): Peer {
  const unpaired = state.unpairs.add(link, clientKey, registration)
  return {
    hear(stanza) {
      if (state.faults.wide.isSilent) return
      const hello = hearUnpaired(unpaired, stanza)
      if (hello) requestLinkCode(state, unpaired, hello)
      else if (stanza.tag === 'iq' && stanza.attrs['type'] !== 'result') link.send(result(stanza))
    },
    gone: () => state.unpairs.remove(unpaired),
  }
}

/** One stanza of a device that is logged in: a companion's or a phone's. */
export function hear(state: NetworkState, device: Device, stanza: Stanza): void {
  if (state.faults.isSilent(device)) return
  if (stanza.tag === 'iq') {
    if (stanza.attrs['type'] === 'result' || stanza.attrs['type'] === 'error') return
    const reply = route(state, device, stanza)
    state.faults.delayed(device, () => device.link?.send(reply))
    if (child(stanza, 'active')) state.delivery.flush(device)
    return
  }
  if (stanza.tag === 'message') takeMessage(state, device, stanza)
  else if (stanza.tag === 'receipt') takeReceipt(state, device, stanza)
  else if (stanza.tag === 'notification') answerCompanion(state, device, stanza)
  else if (stanza.tag === 'ack') takeAck(state, device, stanza)
  else if (stanza.tag === 'presence') takePresence(state, device, stanza)
  else if (stanza.tag === 'chatstate') takeChatState(state, device, stanza)
  else if (stanza.tag === 'call') takeCall(state, device, stanza)
}
