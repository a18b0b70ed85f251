import { randomInt } from 'node:crypto'
import { bytes, child, children, el, parseJid, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { unlink } from '../pairing.ts'
import { refusal } from '../refusal.ts'
import type { Query } from '../router.ts'

/** Server-side properties that clients ask for at login. */
export const properties: Query = () => [el('props', { protocol: '1', hash: 'sandbox', refresh: 86400 }, [])]

export const privacy: Query = (_state, { account }, iq) => {
  const change = child(iq, 'privacy')
  if (iq.attrs['type'] === 'set') {
    for (const { attrs } of children(change, 'category'))
      account.privacy.set(attrs['name'] ?? '', attrs['value'] ?? '')
    return change ? [change] : undefined
  }
  return [
    el(
      'privacy',
      {},
      [...account.privacy].map(([name, value]) => el('category', { name, value })),
    ),
  ]
}

export const blocklist: Query = (state, device, iq) => {
  const { account } = device
  const item = child(iq, 'item')
  if (item) {
    const other = state.directory.find(item.attrs['jid'] ?? '')
    if (!other) throw refusal(404, 'item-not-found')
    const { action } = item.attrs
    if (action === 'block') account.blocked.add(other.lid)
    else account.blocked.delete(other.lid)
    for (const companion of account.devices.values()) {
      if (companion === device) continue
      state.delivery.notify(
        companion,
        'account_sync',
        [el('blocklist', {}, [el('item', { action, jid: other.lid })])],
        { from: account.jid },
      )
    }
  }
  return [
    el(
      'list',
      { dhash: String(account.blocked.size) },
      [...account.blocked].map((jid) => el('item', { jid })),
    ),
  ]
}

export const status: Query = (_state, { account }, iq) => {
  const change = child(iq, 'status')
  if (iq.attrs['type'] === 'set' && change) account.about = text(change)
  return iq.attrs['type'] === 'get'
    ? [el('privacy', {}, [el('list', { type: 'contacts', default: 'true' })])]
    : undefined
}

export const picture: Query = (state, { account }, iq) => {
  const target = iq.attrs['target']
  if (iq.attrs['type'] === 'set') {
    if (target && parseJid(target)?.server === 'g.us')
      return state.groups.setPicture(target, account, bytes(child(iq, 'picture')))
    const data = bytes(child(iq, 'picture'))
    account.picture = data.length > 0 ? { id: String(randomInt(1e9)), data } : undefined
    return [el('picture', { id: account.picture?.id })]
  }
  const found = target?.endsWith('@g.us')
    ? state.groups.picture(target)
    : state.directory.find(target ?? '')?.picture
  if (!found) throw refusal(404, 'item-not-found')
  const path = `/profile/${found.id}`
  return [
    el('picture', {
      id: found.id,
      type: 'image',
      url: `https://${state.mediaHost}${path}`,
      direct_path: path,
      t: seconds(),
    }),
  ]
}

/** `remove-companion-device`: a companion logs itself out, or a phone one of its companions. */
export const linkedDevices: Query = (state, { account }, iq) => {
  const removed: Stanza | undefined = child(iq, 'remove-companion-device')
  const target = parseJid(removed?.attrs['jid'])
  if (!removed || !target) return undefined
  // The answer goes out before the connection ends.
  setImmediate(() => unlink(state, account, target.device))
  return undefined
}
