import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, Jid, textOf } from 'wamux/messaging'
import type { Recording, Signal, Socket } from 'wamux/plugin'
import type { UsernameChange } from './events.ts'
import { toTimelock } from './limits.ts'
import { toPrivacy } from './privacy.ts'

type Aliases = Pick<Socket, 'knownAlt'> | undefined

export async function ofNotification(stanza: BinaryNode, socket: Aliases): Promise<Recording | undefined> {
  const { type } = stanza.attrs
  if (type === 'picture') return ofPicture(stanza, socket)
  if (type === 'account_sync') return ofUsername(stanza, toUsernameChange(child(stanza, 'username')))
  return type === 'mex' ? ofMex(stanza) : undefined
}

async function ofPicture(stanza: BinaryNode, socket: Aliases): Promise<Recording | undefined> {
  const { from = '', id = '', t } = stanza.attrs
  const removed = child(stanza, 'delete')
  const change = removed ?? child(stanza, 'set')
  if (!change) return undefined
  const jid = Jid.bare(change.attrs['jid'] ?? from)
  const author = Jid.bare(change.attrs['author'] ?? jid)
  const altOf = async (who: string): Promise<string> =>
    /@(lid|s\.whatsapp\.net)$/.test(who) ? ((await socket?.knownAlt(who)) ?? '') : ''
  const time = toTime(t)
  const event = {
    JID: jid,
    JIDAlt: await altOf(jid),
    Author: author,
    AuthorAlt: await altOf(author),
    Timestamp: time,
    Remove: removed !== undefined,
    PictureID: removed ? '' : (change.attrs['id'] ?? ''),
  }
  return { events: [{ type: 'Picture', key: `${jid} ${id}`, chat: jid, time, body: { event } }] }
}

/** Notifications of stored queries, by their operation. */
function ofMex(stanza: BinaryNode): Recording | undefined {
  const update = child(stanza, 'update')
  const operation = update?.attrs['op_name']
  if (operation === 'NotificationUserReachoutTimelockUpdate') return ofTimelock(stanza, parse(textOf(update)))
  if (operation !== 'AccountSyncUsernameNotification') return undefined
  return ofUsername(stanza, toMexUsernameChange(parse(textOf(update))))
}

function ofTimelock(stanza: BinaryNode, { data }: MexUpdate): Recording | undefined {
  const { id = '', t } = stanza.attrs
  const lock = data?.['xwa2_notify_account_reachout_timelock']
  if (!lock) return undefined
  const type = 'NotifyAccountReachoutTimelock'
  return { events: [{ type, key: id, time: toTime(t), body: { event: toTimelock(lock) } }] }
}

type UsernameFacts = Pick<UsernameChange, 'Action' | 'Username'>

/** The network does not notify a device of its own changes. */
function ofUsername(stanza: BinaryNode, change: UsernameFacts | undefined): Recording | undefined {
  if (!change) return undefined
  const { id = '', t } = stanza.attrs
  const time = toTime(t)
  const event = { ...change, Timestamp: time }
  return { events: [{ type: 'UsernameChange', key: id, time, body: { event } }] }
}

/** `<username>` of an `account_sync`; `modify` counts before a name (zapo client/events/username.ts). */
function toUsernameChange(node: BinaryNode | undefined): UsernameFacts | undefined {
  if (!node) return undefined
  const { action, username } = node.attrs
  if (action === 'modify') return { Action: 'changed', Username: '' }
  return toUsernameFacts(username)
}

/** The form for accounts with AB 8763 (zapo client/events/mex-notification.ts). Its PIN goes into no event. */
function toMexUsernameChange({ data }: MexUpdate): UsernameFacts | undefined {
  const user = data?.['xwa2_notify_wa_user']
  if (!user) return undefined
  const { username } = (user['username_info'] ?? {}) as { username?: unknown }
  return toUsernameFacts(typeof username === 'string' ? username : undefined)
}

function toUsernameFacts(username: string | undefined): UsernameFacts {
  return username
    ? { Action: 'set', Username: username.replace(/^@/, '') }
    : { Action: 'removed', Username: '' }
}

export function ofPrivacy({ data: { id, settings }, time }: Signal<'privacy.settings'>): Recording {
  return { events: [{ type: 'PrivacySettings', key: id, time, body: { event: toPrivacy(settings) } }] }
}

interface MexUpdate {
  readonly data?: Readonly<Record<string, Readonly<Record<string, unknown>> | null>> | null
}

/** Unreadable JSON must not end the link: the network would deliver it again. */
function parse(json: string): MexUpdate {
  try {
    return JSON.parse(json) as MexUpdate
  } catch {
    return {}
  }
}

function toTime(seconds: string | undefined): string {
  return new Date(Number(seconds ?? 0) * 1000).toISOString()
}
