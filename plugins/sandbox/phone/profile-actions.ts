import { gatewayError } from 'wamux/plugin'
import { el, seconds } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { type Action, type ActionParts, need } from './action.ts'

type Done = Promise<Record<string, unknown>>

/** `Data.Image`: base64 or a data URL. */
export function setPicture(parts: ActionParts, { Data }: Action): Done {
  const image = String(Data?.['Image'] ?? '')
  return changePicture(parts, Buffer.from(image.slice(image.indexOf(',') + 1), 'base64'))
}

export function removePicture(parts: ActionParts): Done {
  return changePicture(parts, Buffer.alloc(0))
}

export function setAbout({ uplink }: ActionParts, action: Action): Done {
  return change(uplink, 'status', el('status', {}, Buffer.from(need(action, 'Text'))))
}

/** `Data`: `{ profile: 'contacts', last: 'none' }`, in the network's own names. */
export function setPrivacy({ uplink }: ActionParts, { Data = {} }: Action): Done {
  const categories = Object.entries(Data).map(([name, value]) =>
    el('category', { name, value: String(value) }),
  )
  return change(uplink, 'privacy', el('privacy', {}, categories))
}

/** Who gets status posts: `Data.Type` contacts, whitelist or blacklist, of `Participants`. */
export function setAudience({ uplink, network }: ActionParts, { Data, Participants = [] }: Action): Done {
  const users = Participants.map((who) => el('user', { jid: network.account(who)?.jid ?? who }))
  const list = el('list', { type: String(Data?.['Type'] ?? 'contacts') }, users)
  return change(uplink, 'status', el('privacy', {}, [list]))
}

/** Enters a number in the address book, which the phone reports to the network. */
export async function addContact({ uplink, network }: ActionParts, action: Action): Done {
  const who = network.account(need(action, 'Chat'))
  if (!who) throw gatewayError('NOT_ON_NETWORK', [action.Chat])
  const user = el('user', {}, [el('contact', {}, Buffer.from(`+${who.phone}`))])
  const report = el('usync', { mode: 'delta', context: 'interactive' }, [
    el('query', {}, [el('contact')]),
    el('list', {}, [user]),
  ])
  await uplink.query(el('iq', { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [report]))
  return {}
}

/** Gives somebody a token, as phones do with those whom they write to. */
export function trust({ uplink, network }: ActionParts, action: Action): Done {
  const jid = network.account(need(action, 'Chat'))?.lid
  const token = el('token', { jid, t: seconds(), type: 'trusted_contact' })
  return change(uplink, 'privacy', el('tokens', {}, [token]))
}

function changePicture({ uplink }: ActionParts, data: Buffer): Done {
  return change(uplink, 'w:profile:picture', el('picture', { type: 'image' }, data))
}

async function change(uplink: ActionParts['uplink'], xmlns: string, content: Stanza): Done {
  await uplink.query(el('iq', { xmlns, type: 'set', to: 's.whatsapp.net' }, [content]))
  return {}
}
