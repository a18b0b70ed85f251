import type { BinaryNode } from '@whiskeysockets/baileys'
import { bareJid, child, textOf } from 'wamux/messaging'
import type { Recording, Signal, Socket } from 'wamux/plugin'
import { toTimelock } from './limits.ts'
import { toPrivacy } from './privacy.ts'

type Aliases = Pick<Socket, 'knownAlt'> | undefined

export async function ofNotification(stanza: BinaryNode, socket: Aliases): Promise<Recording | undefined> {
  if (stanza.attrs['type'] === 'picture') return ofPicture(stanza, socket)
  return stanza.attrs['type'] === 'mex' ? ofTimelock(stanza) : undefined
}

async function ofPicture(stanza: BinaryNode, socket: Aliases): Promise<Recording | undefined> {
  const { from = '', id = '', t } = stanza.attrs
  const removed = child(stanza, 'delete')
  const change = removed ?? child(stanza, 'set')
  if (!change) return undefined
  const jid = bareJid(change.attrs['jid'] ?? from)
  const author = bareJid(change.attrs['author'] ?? jid)
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

function ofTimelock(stanza: BinaryNode): Recording | undefined {
  const { id = '', t } = stanza.attrs
  const update = child(stanza, 'update')
  if (update?.attrs['op_name'] !== 'NotificationUserReachoutTimelockUpdate') return undefined
  const lock = parse(textOf(update)).data?.['xwa2_notify_account_reachout_timelock']
  if (!lock) return undefined
  const type = 'NotifyAccountReachoutTimelock'
  return { events: [{ type, key: id, time: toTime(t), body: { event: toTimelock(lock) } }] }
}

export function ofPrivacy({ data: { id, settings }, time }: Signal<'privacy.settings'>): Recording {
  return { events: [{ type: 'PrivacySettings', key: id, time, body: { event: toPrivacy(settings) } }] }
}

/** Unreadable JSON must not end the link: the network would deliver it again. */
function parse(json: string): { data?: Record<string, Record<string, unknown>> | null } {
  try {
    return JSON.parse(json) as ReturnType<typeof parse>
  } catch {
    return {}
  }
}

function toTime(seconds: string | undefined): string {
  return new Date(Number(seconds ?? 0) * 1000).toISOString()
}
