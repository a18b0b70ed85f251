import { randomInt } from 'node:crypto'
import { bytes, child, el, parseJid, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { setGroupPicture } from '../groups/settings.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { AccountState, Device } from './accounts.ts'
import { maySee } from './privacy.ts'
import { isTrusted } from './tokens.ts'

const MAX_PICTURE_BYTES = 200_000

/** Pictures of accounts and groups (`w:profile:picture`): set, remove, query. */
export const picture: QueryHandler = (state, device, iq) => {
  const target = iq.attrs['target']
  const given = child(iq, 'picture')
  if (iq.attrs['type'] === 'set') {
    if (bytes(given).length > MAX_PICTURE_BYTES) throw refusal(406, 'not-acceptable')
    if (target && parseJid(target)?.server === 'g.us')
      return setGroupPicture(state, device, target, bytes(given))
    return setOwnPicture(state, device, bytes(given))
  }
  const found = target?.endsWith('@g.us')
    ? state.groups.picture(target)
    : pictureOf(state, device.account, target, given)
  if (!found) throw refusal(404, 'item-not-found')
  const type = given?.attrs['type'] === 'preview' ? 'preview' : 'image'
  const path = `/${type === 'preview' ? type : 'profile'}/${found.id}`
  return [
    el('picture', {
      id: found.id,
      type,
      url: `https://${state.media.host}${path}`,
      direct_path: path,
      t: seconds(),
    }),
  ]
}

function pictureOf(
  state: NetworkState,
  viewer: AccountState,
  target = '',
  asked?: Stanza,
): AccountState['picture'] {
  const owner = state.directory.find(target)
  if (owner && !maySee(owner, viewer, 'profile', isTrusted(state, owner, viewer, asked)))
    throw refusal(401, 'not-authorized')
  return owner?.picture
}

function setOwnPicture(state: NetworkState, device: Device, data: Buffer): ReturnType<QueryHandler> {
  const { account } = device
  account.picture = data.length > 0 ? { id: String(randomInt(1e9)), data } : undefined
  notifyPicture(state, device)
  return [el('picture', { id: account.picture?.id })]
}

/** Notifies the account's other devices, and the correspondents that may see the picture. */
function notifyPicture(state: NetworkState, device: Device): void {
  const { account } = device
  const viewers = [account, ...account.correspondents].filter((viewer) => maySee(account, viewer, 'profile'))
  for (const viewer of viewers) {
    const jid = viewer === account ? account.jid : account.lid
    const change = account.picture
      ? el('set', { jid, author: jid, id: account.picture.id })
      : el('delete', { jid, author: jid })
    for (const other of viewer.devices.values()) {
      if (other !== device) state.delivery.notify(other, 'picture', [change], { from: jid })
    }
  }
}
