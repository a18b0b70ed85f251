import { gatewayError } from 'wamux/plugin'
import { el, seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { type Action, type ActionParts, requireField } from './action.ts'
import { mex } from './mex.ts'

type ActionResult = Promise<Record<string, unknown>>

/** `Data.Image`: base64 or a data URL. */
export function setPicture(parts: ActionParts, { Data }: Action): ActionResult {
  const image = String(Data?.['Image'] ?? '')
  return changePicture(parts, Buffer.from(image.slice(image.indexOf(',') + 1), 'base64'))
}

export function removePicture(parts: ActionParts): ActionResult {
  return changePicture(parts, Buffer.alloc(0))
}

export async function setAbout({ uplink }: ActionParts, action: Action): ActionResult {
  const input = { text: requireField(action, 'Text'), ephemeral_duration_sec: 0 }
  await mex(uplink, '9152604461510864', { input }, 'xwa2_update_text_status')
  return {}
}

const DAY_S = 86_400

/**
 * Sets the username to `Text`, or removes it. Others see the change from the next message or lookup on. The rules of names are the
 * network's: the phone checks none.
 */
export async function setUsername({ uplink }: ActionParts, { Text = '' }: Action): ActionResult {
  const username = Text.replace(/^@/, '')
  const input = { input: username, reserved: false, session_id: '', source: 'USER_INPUT' }
  const { result } = await mex(uplink, '25757341163897635', username ? input : {}, 'xwa2_username_set')
  if (result === 'SUCCESS') return {}
  const why = result === 'TAKEN' ? 'is taken' : 'is not accepted by the network'
  throw gatewayError('FIELD_INVALID', ['Text', `@${username} ${why}`])
}

/** Sets the PIN of the username to the four digits in `Text`: others find the account by its username only with it. */
export async function setUsernamePin({ uplink }: ActionParts, action: Action): ActionResult {
  const pin = requireField(action, 'Text')
  const { result } = await mex(uplink, '9749436995157074', { pin }, 'xwa2_username_pin_set')
  if (result === 'SUCCESS') return {}
  throw gatewayError('FIELD_INVALID', ['Text', 'the PIN of a username has four digits'])
}

/** `Data`: settings by their names on the network, for example `{ profile: 'contacts', last: 'none' }`. */
export function setPrivacy({ uplink }: ActionParts, { Data = {} }: Action): ActionResult {
  const categories = Object.entries(Data).map(([name, value]) =>
    el('category', { name, value: String(value) }),
  )
  return change(uplink, 'privacy', el('privacy', {}, categories))
}

/** Hides the setting `Text` (`profile`, `last`, `status`, `groupadd` …) from the contacts in `Participants` only. */
export function hideFrom(parts: ActionParts, action: Action): ActionResult {
  const { uplink, network } = parts
  const users = (action.Participants ?? []).map((who) =>
    el('user', { jid: network.account(who)?.lid ?? who, action: 'add' }),
  )
  const attrs = { name: requireField(action, 'Text'), value: 'contact_blacklist' }
  return change(uplink, 'privacy', el('privacy', {}, [el('category', attrs, users)]))
}

/** Sets the default disappearing timer: `Data.Seconds`. */
export function setDisappearing({ uplink }: ActionParts, { Data }: Action): ActionResult {
  return change(uplink, 'disappearing_mode', el('disappearing_mode', { duration: Number(Data?.['Seconds']) }))
}

/** Sets the audience of status posts: `Data.Type` (contacts, whitelist or blacklist) and `Participants`. */
export function setAudience(
  { uplink, network }: ActionParts,
  { Data, Participants = [] }: Action,
): ActionResult {
  const users = Participants.map((who) => el('user', { jid: network.account(who)?.jid ?? who }))
  const list = el('list', { type: String(Data?.['Type'] ?? 'contacts') }, users)
  return change(uplink, 'status', el('privacy', {}, [list]))
}

/** The 1:1 chats of the account are addressed by LID from now on, or by number if `Data.On` is false. */
export function migrate({ network, account }: ActionParts, { Data }: Action): Record<string, unknown> {
  network.migrate(account, Data?.['On'] !== false)
  return {}
}

/** The number goes to a new account with the name `Text`, whose phone is set up at once; this one keeps its LID alone. */
export async function reassign(
  { network, account, addPhone }: ActionParts,
  { Text = '' }: Action,
): ActionResult {
  const next = network.reassign(account, Text)
  await addPhone(next)
  return { Phone: next.phone, JID: next.jid, LID: next.lid }
}

/** Adds a number to the address book and reports it to the network. */
export async function addContact({ uplink, network }: ActionParts, action: Action): ActionResult {
  const who = network.account(requireField(action, 'Chat'))
  if (!who) throw gatewayError('NOT_ON_NETWORK', [action.Chat])
  const user = el('user', {}, [el('contact', {}, Buffer.from(`+${who.phone}`))])
  const report = el('usync', { mode: 'delta', context: 'interactive' }, [
    el('query', {}, [el('contact')]),
    el('list', {}, [user]),
  ])
  await uplink.query(el('iq', { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [report]))
  return {}
}

/** Issues a token to another account, as phones do for their correspondents; `Data.Days` is its age. */
export function trust({ uplink, network }: ActionParts, action: Action): ActionResult {
  const t = seconds() - Number(action.Data?.['Days'] ?? 0) * DAY_S
  const jid = network.account(requireField(action, 'Chat'))?.lid
  const token = el('token', { jid, t, type: 'trusted_contact' })
  return change(uplink, 'privacy', el('tokens', {}, [token]))
}

function changePicture({ uplink }: ActionParts, data: Buffer): ActionResult {
  return change(uplink, 'w:profile:picture', el('picture', { type: 'image' }, data))
}

async function change(uplink: ActionParts['uplink'], xmlns: string, content: Stanza): ActionResult {
  await uplink.query(el('iq', { xmlns, type: 'set', to: 's.whatsapp.net' }, [content]))
  return {}
}
