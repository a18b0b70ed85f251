import { createHash } from 'node:crypto'
import { bytes, child, children, el, HOSTED_DEVICE, withDevice } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { announceDevices } from '../transport/pairing.ts'
import type { Bundle, Device } from './accounts.ts'
import { readPreKeys } from './bundles.ts'
import { announceOwner } from './reassign.ts'

/** A device with fewer one-time prekeys is notified. */
const LOW_PREKEYS = 5
/** Curve25519. */
const KEY_TYPE = Buffer.from([5])
const NOT_FOUND = el('error', { code: 404, text: 'item-not-found' })

/** The answer for one user of a lookup, by the lookup's tag. */
const LOOKUPS: Readonly<Record<string, (state: NetworkState, user: Stanza) => Stanza>> = {
  key: bundleNode,
  // The bundles of those devices of an account with which a client has no session
  // (zapo-js signal/api/SignalMissingPreKeysSyncApi).
  key_fetch: devicesNode,
  identity: identityNode,
}

/** Key bundles (`encrypt`): count, upload, digest, rotation and retrieval. */
export const prekeys: QueryHandler = (state, device, iq) => {
  if (child(iq, 'count')) return [el('count', { value: device.bundle?.oneTime.length ?? 0 })]
  if (child(iq, 'digest')) return [digestOf(device)]
  if (child(iq, 'rotate')) return rotateSignedPreKey(state, device, child(child(iq, 'rotate'), 'skey'))
  for (const [tag, answer] of Object.entries(LOOKUPS)) {
    const users = children(child(iq, tag), 'user')
    if (users.length > 0)
      return [
        el(
          'list',
          {},
          users.map((user) => answer(state, user)),
        ),
      ]
  }
  if (child(iq, 'list')) uploadPreKeys(state, device, iq)
  return undefined
}

/**
 * The server's view of a device's keys, which the device compares with its own: the ids of the one-time prekeys, and a hash of
 * all public keys (zapo-js signal/api/SignalDigestSyncApi).
 */
function digestOf({ bundle }: Device): Stanza {
  if (!bundle) throw refusal(404, 'item-not-found')
  const { registration, identity, signed, oneTime } = bundle
  const hash = createHash('sha1').update(identity).update(signed.value).update(signed.signature)
  for (const { value } of oneTime) hash.update(value)
  return el('digest', {}, [
    el('registration', {}, registration),
    el('type', {}, KEY_TYPE),
    el('identity', {}, identity),
    signedNode(signed),
    el(
      'list',
      {},
      oneTime.map(({ id }) => el('id', {}, id)),
    ),
    el('hash', {}, hash.digest()),
  ])
}

function uploadPreKeys(state: NetworkState, device: Device, iq: Stanza): void {
  const signed = signedKey(child(iq, 'skey'))
  const isFirst = device.bundle === undefined
  const previous = device.bundle?.oneTime ?? []
  device.bundle = {
    registration: bytes(child(iq, 'registration')),
    identity: bytes(child(iq, 'identity')),
    signed,
    oneTime: [...previous, ...readPreKeys(child(iq, 'list'))],
  }
  if (isFirst && device.id === 0) announceOwner(state, device.account)
  // Others can write to a hosted device, which is not linked by a code, once it has keys.
  if (isFirst && device.id === HOSTED_DEVICE) announceDevices(state, device.account, 'add', HOSTED_DEVICE)
}

/** 409 without keys, 406 if the identity has not signed the new key (ZP signal/api/SignalRotateKeyApi.ts). */
function rotateSignedPreKey({ wire }: NetworkState, { bundle }: Device, key: Stanza | undefined): undefined {
  if (!bundle) throw refusal(409, 'conflict')
  const signed = signedKey(key)
  const content = Buffer.concat([KEY_TYPE, signed.value])
  if (!wire.isSigned(bundle.identity, content, signed.signature)) throw refusal(406, 'not-acceptable')
  bundle.signed = signed
}

function signedKey(key: Stanza | undefined): Bundle['signed'] {
  return {
    id: bytes(child(key, 'id')),
    value: bytes(child(key, 'value')),
    signature: bytes(child(key, 'signature')),
  }
}

/** The bundle of one device; an error node for an unknown device. */
function bundleNode(state: NetworkState, user: Stanza): Stanza {
  const jid = user.attrs['jid'] ?? ''
  const device = state.directory.device(jid)
  return el('user', { jid }, (device && takeBundle(state, device)) ?? [NOT_FOUND])
}

function devicesNode(state: NetworkState, user: Stanza): Stanza {
  const jid = user.attrs['jid'] ?? ''
  const devices = children(user, 'device').flatMap(({ attrs }) => {
    const device = state.directory.device(withDevice(jid, Number(attrs['id'])))
    const bundle = device && takeBundle(state, device)
    return bundle ? [el('device', { id: attrs['id'] }, bundle)] : []
  })
  return el('user', { jid }, devices.length > 0 ? devices : [NOT_FOUND])
}

function identityNode(state: NetworkState, user: Stanza): Stanza {
  const jid = user.attrs['jid'] ?? ''
  const identity = state.directory.device(jid)?.bundle?.identity
  return el(
    'user',
    { jid },
    identity ? [el('type', {}, KEY_TYPE), el('identity', {}, identity)] : [NOT_FOUND],
  )
}

/** The keys of a device, with a one-time prekey issued to no other client; undefined if it has no keys. */
function takeBundle(state: NetworkState, device: Device): Stanza[] | undefined {
  const { bundle } = device
  if (!bundle || device.account.restrictions.isKeyless) return undefined
  const oneTime = bundle.oneTime.shift()
  if (bundle.oneTime.length === LOW_PREKEYS - 1) {
    state.delivery.notify(device, 'encrypt', [el('count', { value: bundle.oneTime.length })])
  }
  return [
    el('registration', {}, bundle.registration),
    el('type', {}, KEY_TYPE),
    el('identity', {}, bundle.identity),
    ...(oneTime ? [el('key', {}, [el('id', {}, oneTime.id), el('value', {}, oneTime.value)])] : []),
    signedNode(bundle.signed),
  ]
}

function signedNode({ id, value, signature }: Bundle['signed']): Stanza {
  return el('skey', {}, [el('id', {}, id), el('value', {}, value), el('signature', {}, signature)])
}
