import { bytes, child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Query } from '../iq/query.ts'
import type { NetworkState } from '../state.ts'
import type { Bundle, Device } from './accounts.ts'
import { readPreKeys } from './bundles.ts'

/** A device with fewer one-time prekeys than this is notified. */
const LOW_PREKEYS = 5

/** Key bundles (`encrypt`): count, upload, digest, rotation and retrieval. */
export const prekeys: Query = (state, device, iq) => {
  if (child(iq, 'count')) return [el('count', { value: device.bundle?.oneTime.length ?? 0 })]
  if (child(iq, 'digest'))
    return [el('digest', {}, [el('registration', {}, device.bundle?.registration ?? Buffer.alloc(4))])]
  if (child(iq, 'rotate')) return rotateSignedPreKey(device, child(child(iq, 'rotate'), 'skey'))
  const requested = children(child(iq, 'key'), 'user')
  if (requested.length > 0)
    return [
      el(
        'list',
        {},
        requested.map((user) => bundleNode(state, user)),
      ),
    ]
  if (child(iq, 'list')) uploadPreKeys(device, iq)
  return undefined
}

function uploadPreKeys(device: Device, iq: Stanza): void {
  const signed = signedKey(child(iq, 'skey'))
  const previous = device.bundle?.oneTime ?? []
  device.bundle = {
    registration: bytes(child(iq, 'registration')),
    identity: bytes(child(iq, 'identity')),
    signed,
    oneTime: [...previous, ...readPreKeys(child(iq, 'list'))],
  }
}

function rotateSignedPreKey(device: Device, key: Stanza | undefined): undefined {
  if (device.bundle) device.bundle.signed = signedKey(key)
}

function signedKey(key: Stanza | undefined): Bundle['signed'] {
  return {
    id: bytes(child(key, 'id')),
    value: bytes(child(key, 'value')),
    signature: bytes(child(key, 'signature')),
  }
}

/** The bundle of one device. An unknown device is an error node among the other bundles. */
function bundleNode(state: NetworkState, user: Stanza): Stanza {
  const jid = user.attrs['jid'] ?? ''
  const device = state.directory.device(jid)
  const { bundle } = device ?? {}
  if (!device || !bundle || device.account.restrictions.isKeyless)
    return el('user', { jid }, [el('error', { code: 404, text: 'item-not-found' })])
  const oneTime = bundle.oneTime.shift()
  if (bundle.oneTime.length === LOW_PREKEYS - 1) {
    state.delivery.notify(device, 'encrypt', [el('count', { value: bundle.oneTime.length })])
  }
  const { signed } = bundle
  return el('user', { jid }, [
    el('registration', {}, bundle.registration),
    el('type', {}, Buffer.from([5])),
    el('identity', {}, bundle.identity),
    ...(oneTime ? [el('key', {}, [el('id', {}, oneTime.id), el('value', {}, oneTime.value)])] : []),
    el('skey', {}, [
      el('id', {}, signed.id),
      el('value', {}, signed.value),
      el('signature', {}, signed.signature),
    ]),
  ])
}
