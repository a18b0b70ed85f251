import { child, children, el, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../accounts.ts'
import type { Query } from '../router.ts'

/** Looks up users: their devices, LID, registration, about text. Echoes the form (phone or LID) that was asked. */
export const usync: Query = (state, _device, iq) => {
  const request = child(iq, 'usync')
  const protocols = children(child(request, 'query')).map(({ tag }) => tag)
  const users = children(child(request, 'list'), 'user').map((user) => {
    const asked = text(child(user, 'contact'))
    const jid = user.attrs['jid']
    const account = state.directory.find(jid ?? asked)
    return answer(account, protocols, jid, asked)
  })
  return [el('usync', { ...request?.attrs, index: 0, last: 'true' }, [el('result'), el('list', {}, users)])]
}

function answer(
  account: AccountState | undefined,
  protocols: readonly string[],
  jid: string | undefined,
  asked: string,
): Stanza {
  const digits = asked.replace(/\D/g, '')
  const echoed = jid ?? account?.jid ?? `${digits}@s.whatsapp.net`
  if (!account)
    return el('user', { jid: echoed }, jid ? [] : [el('contact', { type: 'out' }, Buffer.from(asked))])
  const isLid = echoed.endsWith('@lid')
  const parts: Record<string, () => Stanza> = {
    devices: () => devicesOf(account),
    contact: () => el('contact', { type: 'in' }, Buffer.from(asked)),
    status: () => el('status', { t: seconds() }, Buffer.from(account.about)),
    disappearing_mode: () => el('disappearing_mode', { duration: 0, t: seconds() }),
    lid: () => el('lid', { val: account.lid }),
  }
  const wanted = protocols.filter((protocol) => protocol in parts && !(protocol === 'lid' && isLid))
  return el(
    'user',
    { jid: echoed },
    wanted.map((protocol) => parts[protocol]?.()).filter((part) => part !== undefined),
  )
}

/** Companions without a key-index are dropped by clients (Baileys Utils/signal.js extractDeviceJids). */
function devicesOf(account: AccountState): Stanza {
  const devices = [...account.devices.keys()].map((id) =>
    el('device', id === 0 ? { id } : { id, 'key-index': id }),
  )
  return el('devices', {}, [
    el('device-list', {}, devices),
    el('key-index-list', { ts: seconds() }, Buffer.alloc(0)),
  ])
}
