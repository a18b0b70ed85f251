import { bytes, child, children, el, HOSTED_DEVICE, seconds, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import { verifiedNameNode } from '../business/verified-name.ts'
import { botProfile } from '../iq/bots.ts'
import type { QueryHandler } from '../iq/query.ts'
import type { NetworkState } from '../state.ts'
import { type AccountState, shownJid } from './accounts.ts'
import { maySee } from './privacy.ts'
import { isTrusted } from './tokens.ts'

/** The node of one protocol for a user; undefined for none. */
type UsyncProtocol = (request: ProtocolRequest) => Stanza | undefined

interface ProtocolRequest {
  state: NetworkState
  account: AccountState
  viewer: AccountState
  /** Whether the request has a token of the account. */
  isTrusted: boolean
  /** Whether a companion asks, and no phone. */
  isCompanion: boolean
  /** The JID as requested. */
  jid: string
  /** The number as requested, if the user was requested by number. */
  contact: string
}

const USYNC_PROTOCOLS: Readonly<Record<string, UsyncProtocol>> = {
  // Bots have no device list.
  devices: ({ account }) => (account.bot ? undefined : devicesOf(account)),
  contact: ({ contact }) => el('contact', { type: 'in' }, Buffer.from(contact)),
  status: ({ account, viewer, isTrusted }) =>
    maySee(account, viewer, 'status', isTrusted)
      ? el('status', { t: account.aboutSet }, Buffer.from(account.about))
      : el('status', { code: 401, type: 'fail' }),
  picture: ({ account, viewer }) =>
    account.picture && maySee(account, viewer, 'profile')
      ? el('picture', { id: account.picture.id })
      : undefined,
  business: ({ state, account }) =>
    account.business ? el('business', {}, [verifiedNameNode(state, account)]) : undefined,
  disappearing_mode: ({ account }) => el('disappearing_mode', account.disappearing),
  lid: ({ state, account, jid, isCompanion }) =>
    jid.endsWith('@lid') || (isCompanion && state.faults.networkWide.tellsNoLids)
      ? undefined
      : el('lid', { val: account.lid }),
  username: ({ account }) =>
    account.username ? el('username', {}, Buffer.from(account.username)) : undefined,
  bot: ({ account }) => account.bot && botProfile(account.bot, account.jid),
}

/** Looks up users by number or JID, and answers in the requested addressing mode. */
export const usync: QueryHandler = (state, device, iq) => {
  const request = child(iq, 'usync')
  const protocols = children(child(request, 'query')).map(({ tag }) => tag)
  // A phone reports changes of its address book.
  const isReport = device.id === 0 && request?.attrs['mode'] === 'delta'
  const users = children(child(request, 'list'), 'user').map((user) => {
    const contact = text(child(user, 'contact'))
    const { username, pin } = child(user, 'contact')?.attrs ?? {}
    const jid = user.attrs['jid']
    const account = username
      ? state.directory.byUsername(username)
      : (state.directory.find(jid ?? contact) ?? state.directory.byContact(contact))
    if (!account) return username ? unknownUsername(username) : unknownUser(jid, contact)
    if (username && account.usernamePin && pin !== account.usernamePin) return lockedUsername(username)
    if (isReport) device.account.contacts.add(account)
    const request = {
      state,
      account,
      viewer: device.account,
      isTrusted: isTrusted(state, account, device.account, user),
      isCompanion: device.id !== 0,
      jid: contact || jid === undefined ? jidFor(account, username) : jid,
      contact,
    }
    const parts = protocols.map((protocol) => USYNC_PROTOCOLS[protocol]?.(request))
    return el(
      'user',
      { jid: request.jid },
      parts.filter((part) => part !== undefined),
    )
  })
  const list = el('list', {}, collapsed(users))
  return [el('usync', { ...request?.attrs, index: 0, last: 'true' }, [el('result'), list])]
}

/** A user who was asked for by two spellings of the number is answered once, with both (ZP SignalDeviceSyncApi.ts). */
function collapsed(users: readonly Stanza[]): Stanza[] {
  const byJid = new Map<string, Stanza>()
  return users.filter((user) => {
    const { jid } = user.attrs
    const contacts = children(user, 'contact').filter((contact) => bytes(contact).length > 0)
    const first = jid !== undefined && contacts.length > 0 ? byJid.get(jid) : undefined
    if (first) Object.assign(first, { content: [...children(first), ...contacts] })
    else if (jid !== undefined && contacts.length > 0) byJid.set(jid, user)
    return !first
  })
}

/** A lookup by username returns the LID of an account that hides its number. */
function jidFor(account: AccountState, username: string | undefined): string {
  return username ? (shownJid(account) ?? account.lid) : account.jid
}

function unknownUsername(username: string): Stanza {
  return el('user', {}, [el('contact', { type: 'out', username })])
}

/** Without a JID: the PIN of the username is missing or wrong (ZP WaProfileCoordinator.ts parseUsernameLookup). */
function lockedUsername(username: string): Stanza {
  return el('user', {}, [el('contact', { type: 'in', username })])
}

function unknownUser(jid: string | undefined, contact: string): Stanza {
  if (jid) return el('user', { jid })
  const digits = contact.replace(/\D/g, '')
  // Whoever is not on WhatsApp has no `jid` (whatsmeow d8960d95).
  return el('user', { pn_jid: `${digits}@s.whatsapp.net` }, [
    el('contact', { type: 'out' }, Buffer.from(contact)),
  ])
}

/** Clients ignore companions without a key-index (Baileys Utils/signal.js extractDeviceJids). */
function devicesOf(account: AccountState): Stanza {
  const devices = [...account.devices.keys()].map((id) =>
    el(
      'device',
      id === 0 ? { id } : { id, 'key-index': id, is_hosted: id === HOSTED_DEVICE ? 'true' : undefined },
    ),
  )
  return el('devices', {}, [
    el('device-list', {}, devices),
    el('key-index-list', { ts: seconds() }, account.keyIndexes),
  ])
}
