import { child, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import { loginBulletins } from '../messaging/bulletins.ts'
import { handleCall } from '../messaging/call-signaling.ts'
import { forwardMediaRetry } from '../messaging/media-retry.ts'
import { goOffline, handleChatState, handlePresence, handleUnifiedSession } from '../messaging/presence.ts'
import { handleAck, handleReceipt } from '../messaging/receipts.ts'
import { handleMessage } from '../messaging/relay.ts'
import { clockOf, type NetworkState } from '../state.ts'
import { type ClientRefusal, refusalOfClient } from './client-version.ts'
import type { ClientLogin, Peer } from './connection.ts'
import { requestLinkCode } from './link-code.ts'
import { recordLogin } from './login-record.ts'
import { refused, result, route } from './router.ts'
import { isResult } from './server-pings.ts'
import { handleUnpairedStanza, type Unpaired } from './unpaired.ts'
import type { Payload } from './web-payload.ts'

/** Identifies a client: a linked companion or a new one. Closes the connection if the login is refused. */
export function authenticate(state: NetworkState, login: ClientLogin): Peer | undefined {
  const payload = state.wire.proto.ClientPayload.decode(login.payload)
  const registration = payload.devicePairingData
  const device = registration ? undefined : deviceOf(state, payload, login)
  const refusal = refusalOfClient(state, payload) ?? refusalOfLogin(state, device, Boolean(registration))
  const expected = {
    isLidMigrated: device?.account.lidMigrated === true,
    lastCounter: device?.loginCounter,
  }
  recordLogin(state, payload, expected, refusal?.reason)
  if (refusal) {
    login.link.close(el('failure', { ...refusal }))
    return undefined
  }
  if (registration) return registerUnpaired(state, login, registration)
  if (device) device.loginCounter = payload.lc ?? device.loginCounter
  return device && loginDevice(state, login, device, payload.passive === true)
}

/** The device that logs in with its own key; undefined if it is not, or no longer, linked. */
function deviceOf(state: NetworkState, payload: Payload, { clientKey }: ClientLogin): Device | undefined {
  const account = state.directory.find(String(payload.username ?? ''))
  const device = account?.devices.get(payload.device ?? -1)
  return device?.noiseKey?.equals(clientKey) ? device : undefined
}

function refusalOfLogin(
  { faults }: NetworkState,
  device: Device | undefined,
  isRegistration: boolean,
): ClientRefusal | undefined {
  if (!device && !isRegistration) return { reason: '401', location: 'sandbox' }
  const failure = faults.failure(device?.account)
  return failure && { ...failure.attrs, reason: failure.code, location: 'sandbox' }
}

/** The account and device as which a client logs in; no account for a registration. */
export function nameOf({ wire }: NetworkState, { payload }: ClientLogin): { phone: string; device: number } {
  const { username, device } = wire.proto.ClientPayload.decode(payload)
  return { phone: String(username ?? ''), device: device ?? 0 }
}

/** @param isPassive whether the client receives nothing until it sends `active`. */
function loginDevice(state: NetworkState, { link }: ClientLogin, device: Device, isPassive: boolean): Peer {
  // A device has one connection; the older one is closed as replaced.
  device.link?.close(el('stream:error', {}, [el('conflict', { type: 'replaced' })]))
  device.link = link
  device.isActive = false
  goOffline(state, device)
  state.counters.logins += 1
  link.send(
    el('success', {
      t: clockOf(state),
      lid: device.lid,
      display_name: device.account.name,
      companion_enc_static: '',
    }),
  )
  for (const stanza of loginBulletins(device)) link.send(stanza)
  if (!isPassive) state.delivery.flush(device)
  return {
    device: device.jid,
    receive: (stanza) => handleStanza(state, device, stanza),
    closed() {
      if (device.link !== link) return
      device.link = undefined
      device.isActive = false
      goOffline(state, device)
      state.newsletters.unwatch(device)
    },
  }
}

function registerUnpaired(
  state: NetworkState,
  { link, clientKey }: ClientLogin,
  registration: Parameters<NetworkState['unpairedCompanions']['add']>[2],
): Peer {
  const refs = state.faults.networkWide.endsCodes ? 0 : undefined
  const unpaired = state.unpairedCompanions.add(link, clientKey, registration, refs)
  return {
    receive(stanza) {
      if (state.faults.networkWide.isSilent) return
      const hello = handleUnpairedStanza(unpaired, stanza)
      if (hello) requestLinkCode(state, unpaired, hello)
      else if (stanza.tag === 'iq' && isRequest(stanza)) link.send(answer(state, unpaired, stanza))
    },
    closed: () => state.unpairedCompanions.remove(unpaired),
  }
}

const isRequest = ({ attrs }: Stanza): boolean => attrs['type'] === 'get' || attrs['type'] === 'set'

/** Answers a query of an unpaired companion. */
function answer(state: NetworkState, unpaired: Unpaired, iq: Stanza): Stanza {
  if (child(iq, 'ref'))
    return result(iq, [el('ref', {}, Buffer.from(state.unpairedCompanions.addRef(unpaired)))])
  try {
    return result(iq, unpaired.ceremony?.handle(iq))
  } catch (error) {
    return refused(iq, error)
  }
}

/** Handles one stanza of a logged-in device: a companion or a phone. */
export function handleStanza(state: NetworkState, device: Device, stanza: Stanza): void {
  if (state.faults.isSilent(device)) return
  if (stanza.tag === 'iq') {
    if (isResult(stanza)) return state.pings.answered(device, stanza.attrs['id'] ?? '')
    const reply = route(state, device, stanza)
    state.faults.delay(device, () => device.link?.send(reply))
    if (child(stanza, 'active') && !device.isActive) state.delivery.flush(device)
    return
  }
  const batch = child(stanza, 'offline_batch')
  const unified = child(stanza, 'unified_session')
  if (batch) state.delivery.nextBatch(device, Number(batch.attrs['count']))
  else if (unified) handleUnifiedSession(state, unified)
  else if (stanza.tag === 'message') handleMessage(state, device, stanza)
  else if (stanza.tag === 'receipt') handleReceipt(state, device, stanza)
  else if (stanza.tag === 'notification') forwardMediaRetry(state, device, stanza)
  else if (stanza.tag === 'ack') handleAck(state, device, stanza)
  else if (stanza.tag === 'presence') handlePresence(state, device, stanza)
  else if (stanza.tag === 'chatstate') handleChatState(state, device, stanza)
  else if (stanza.tag === 'call') handleCall(state, device, stanza)
}
