import { bytes, child, children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { Bundle, Device } from '../accounts.ts'
import { readKeys } from '../bundle.ts'
import type { Query } from '../router.ts'
import type { NetworkState } from '../state.ts'

/** When a device has fewer one-time prekeys left than this, it is told. */
const LOW = 5

/** Key bundles: count, upload, digest, rotation, and handing them out. */
export const prekeys: Query = (state, device, iq) => {
  if (child(iq, 'count')) return [el('count', { value: device.bundle?.oneTime.length ?? 0 })]
  if (child(iq, 'digest'))
    return [el('digest', {}, [el('registration', {}, device.bundle?.registration ?? Buffer.alloc(4))])]
  if (child(iq, 'rotate')) return rotate(device, child(child(iq, 'rotate'), 'skey'))
  const asked = children(child(iq, 'key'), 'user')
  if (asked.length > 0)
    return [
      el(
        'list',
        {},
        asked.map((user) => hand(state, user)),
      ),
    ]
  if (child(iq, 'list')) upload(device, iq)
  return undefined
}

function upload(device: Device, iq: Stanza): void {
  const signed = signedKey(child(iq, 'skey'))
  const before = device.bundle?.oneTime ?? []
  device.bundle = {
    registration: bytes(child(iq, 'registration')),
    identity: bytes(child(iq, 'identity')),
    signed,
    oneTime: [...before, ...readKeys(child(iq, 'list'))],
  }
}

function rotate(device: Device, key: Stanza | undefined): undefined {
  if (device.bundle) device.bundle.signed = signedKey(key)
}

function signedKey(key: Stanza | undefined): Bundle['signed'] {
  return {
    id: bytes(child(key, 'id')),
    value: bytes(child(key, 'value')),
    signature: bytes(child(key, 'signature')),
  }
}

/** One user that is gone is an error of its own, among the others' keys. */
function hand(state: NetworkState, user: Stanza): Stanza {
  const jid = user.attrs['jid'] ?? ''
  const device = state.directory.device(jid)
  const { bundle } = device ?? {}
  if (!device || !bundle || device.account.restrictions.isKeyless)
    return el('user', { jid }, [el('error', { code: 404, text: 'item-not-found' })])
  const oneTime = bundle.oneTime.shift()
  if (bundle.oneTime.length === LOW - 1) {
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
