import { setTimeout as sleep } from 'node:timers/promises'
import { bytes, child, el, seconds, withDevice } from '../../stanza.ts'
import type { LinkTerms, PasskeyPrimary, Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import { registeredBundle } from '../directory/bundles.ts'
import { DIRTY_AFTER_LINKING, markDirty } from '../messaging/bulletins.ts'
import { hashOf, jidsOf } from '../messaging/participant-hash.ts'
import type { NetworkState } from '../state.ts'
import { asksPasskey, startCeremony } from './passkey.ts'
import { stanzaId, type Unpaired } from './unpaired.ts'

export interface PairLink {
  device: number
  signedIdentityHmac: Buffer
  /** SHA-256 (hex) of the adv secret that the phone read. */
  secretId: string
}

/**
 * On the real network, the request to reconnect takes a round trip. If it came at once, clients that meanwhile reconnect
 * by themselves would drop their new keys (zapo-js client/coordinators/WaStreamControlCoordinator).
 */
const RESTART_MS = 50

/** Prefix of the data that a companion signs when it is linked (Baileys Defaults/index.js). */
const DEVICE_SIGNATURE = Buffer.from([6, 1])

/**
 * Links a companion to an account: sends it the phone's signature, verifies the companion's, and asks it to log in.
 * Rejects with the text shown by a phone if the companion's answer is missing or invalid.
 */
export async function pair(
  state: NetworkState,
  ref: string,
  account: AccountState,
  link: PairLink,
): Promise<string> {
  const unpaired = state.unpairedCompanions.byRef(ref)
  if (!unpaired) throw new Error('this code has expired; show a new one')
  refuseRetired(state, unpaired, link.secretId)
  const jid = withDevice(account.jid, link.device)
  const attrs = { from: 's.whatsapp.net', type: 'set', id: stanzaId(), xmlns: 'md', t: seconds() }
  const success = el('pair-success', {}, [
    el('device-identity', {}, link.signedIdentityHmac),
    ...(account.business ? [el('biz', { name: account.name })] : []),
    el('platform', { name: account.business ? 'smba' : 'android' }),
    el('device', { jid, lid: withDevice(account.lid, link.device) }),
    el('client-props', {}, clientProps(state, account)),
  ])
  const reply = await new Promise<Stanza | undefined>((resolve) => {
    unpaired.onSigned = resolve
    unpaired.link.send(el('iq', attrs, [success]))
  })
  if (!reply) throw new Error('the companion disconnected before it was linked')
  if (reply.attrs['type'] === 'error') throw new Error('the companion refused the link')
  verifyDeviceSignature(state, unpaired, reply, link.signedIdentityHmac)

  const device = state.directory.addDevice(
    account,
    link.device,
    unpaired.noiseKey,
    platformOf(state, unpaired),
  )
  device.bundle = registeredBundle(unpaired.registration)
  markDirty(device, DIRTY_AFTER_LINKING)
  state.counters.pairings += 1
  announceDevices(state, account, 'add', link.device)
  await sleep(RESTART_MS)
  unpaired.link.close(el('stream:error', { code: 515 }))
  return jid
}

/** Properties of the account that the companion must know (WR pair.rs). */
function clientProps({ wire }: NetworkState, { lidMigrated }: AccountState): Buffer {
  return Buffer.from(wire.proto.ClientPairingProps.encode({ isChatDbLidMigrated: lidMigrated }).finish())
}

/**
 * The network may retire the registration material of an unpaired companion (Baileys#2737). The current code is then
 * invalid: linking fails until the companion shows a code with a new secret.
 */
function refuseRetired(state: NetworkState, unpaired: Unpaired, secretId: string): void {
  if (!state.faults.networkWide.refreshesLinks) return
  const isFirst = unpaired.retired.size === 0
  if (isFirst) {
    unpaired.retired.add(secretId)
    sendRefresh(unpaired, 'companion_reg_refresh')
  }
  const isAcknowledged = ![...unpaired.unacknowledged.values()].includes('companion_reg_refresh')
  if (unpaired.retired.has(secretId) || !isAcknowledged)
    throw new Error("couldn't link the device; try again with a new code")
}

/** Asks an unpaired companion for new registration material. */
export function sendRefresh(
  unpaired: Unpaired,
  child: 'companion_reg_refresh' | 'pair-device-rotate-qr',
): void {
  const attrs = { from: 's.whatsapp.net', type: 'companion_reg_refresh', id: stanzaId(), t: seconds() }
  unpaired.unacknowledged.set(attrs.id, attrs.type)
  unpaired.link.send(el('notification', attrs, [el(child)]))
}

/** Requests the account's passkey, if the network requires it. */
export async function requirePasskey(
  state: NetworkState,
  ref: string,
  account: AccountState,
  secretId: string,
  primary: PasskeyPrimary,
): Promise<LinkTerms | undefined> {
  if (!asksPasskey(state)) return undefined
  const unpaired = state.unpairedCompanions.byRef(ref)
  if (!unpaired) throw new Error('this code has expired; show a new one')
  refuseRetired(state, unpaired, secretId)
  return startCeremony(state, unpaired, account, primary)
}

function verifyDeviceSignature(state: NetworkState, unpaired: Unpaired, reply: Stanza, sent: Buffer): void {
  const { proto, isSigned } = state.wire
  const accountIdentity = proto.ADVSignedDeviceIdentity.decode(
    proto.ADVSignedDeviceIdentityHMAC.decode(sent).details ?? new Uint8Array(),
  )
  const companionIdentity = proto.ADVSignedDeviceIdentity.decode(
    bytes(child(child(reply, 'pair-device-sign'), 'device-identity')),
  )
  const identity = unpaired.registration.eIdent ?? new Uint8Array()
  const signed = Buffer.concat([
    DEVICE_SIGNATURE,
    accountIdentity.details ?? Buffer.alloc(0),
    identity,
    accountIdentity.accountSignatureKey ?? Buffer.alloc(0),
  ])
  if (!isSigned(identity, signed, companionIdentity.deviceSignature ?? new Uint8Array())) {
    throw new Error("the companion's signature is invalid")
  }
}

function platformOf(state: NetworkState, { registration }: Unpaired): string {
  const props = state.wire.proto.DeviceProps.decode(registration.deviceProps ?? new Uint8Array())
  return props.os ?? ''
}

/**
 * Notifies all companions that the account's device list has changed, unless it must come to light later (`quietDevices`). Those
 * of others are told of the device, in both forms; those of the account get the whole list (whatsmeow notification.go
 * handleDeviceNotification, handleOwnDevicesNotification).
 */
export function announceDevices(
  state: NetworkState,
  account: AccountState,
  change: 'add' | 'remove',
  device: number,
): void {
  if (state.faults.networkWide.quietDevices) return
  const { jid, lid } = account
  const jids = jidsOf([account], 'jid')
  const hashes = { device_hash: hashOf(jids), device_lid_hash: hashOf(jidsOf([account], 'lid')) }
  const changed = { jid: withDevice(jid, device), lid: withDevice(lid, device), 'key-index': device }
  const toOthers = (): Stanza[] => [el(change, hashes, [el('device', changed)])]
  const list = (): Stanza[] =>
    [...account.devices.values()].map((one) =>
      el('device', { jid: one.jid, 'key-index': one.id || undefined }),
    )
  const toOwn = (): Stanza[] => [el('devices', { dhash: hashes.device_hash }, list())]
  for (const other of state.directory.all()) {
    for (const companion of other.devices.values()) {
      // Phones look the devices up with each message, and need to be told of removals of others alone.
      const isTold = companion.id !== 0 || (change === 'remove' && other !== account)
      if (!isTold || companion === account.devices.get(device)) continue
      if (other === account) state.delivery.notify(companion, 'account_sync', toOwn(), { from: jid })
      else state.delivery.notify(companion, 'devices', toOthers(), { from: jid, lid })
    }
  }
}

/** Unlinks a companion, which gets 401 now or at its next login. */
export function unlink(state: NetworkState, account: AccountState, device: number): boolean {
  const removed = account.devices.get(device)
  if (!removed || device === 0) return false
  account.devices.delete(device)
  const last = el('stream:error', { code: 401 }, [el('conflict', { type: 'device_removed' })])
  state.faults.delay(removed, () => removed.link?.close(last))
  announceDevices(state, account, 'remove', device)
  return true
}
