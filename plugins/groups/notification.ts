import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, Jid } from 'wamux/messaging'
import type { NewEvent, Recording } from 'wamux/plugin'
import { groupOf, timeOf } from './info.ts'
import { changesOf, type PhoneOf } from './notified-changes.ts'

/** Translates a notification about a group; undefined for any other. */
export async function ofNotification(stanza: BinaryNode, phoneOf: PhoneOf): Promise<Recording | undefined> {
  const { type, from = '', id, t } = stanza.attrs
  if (type !== 'w:gp2') return undefined
  const event = await ofGroup(stanza, phoneOf)
  return { events: [{ ...event, key: `${from} ${id}`, chat: from, time: timeOf(t) }] }
}

async function ofGroup(stanza: BinaryNode, phoneOf: PhoneOf): Promise<NewEvent> {
  const { from: JID, notify: Notify = '', participant: Sender = '', participant_pn, t } = stanza.attrs
  const SenderPN = participant_pn ?? (await phoneIn(Sender, phoneOf))
  const created = child(stanza, 'create')
  const group = child(created, 'group')
  if (created && group) {
    const { reason: Reason = '', type: Type = '', key: CreateKey = '' } = created.attrs
    const event = { Reason, Type, CreateKey, Notify, Sender, SenderPN, ...groupOf(group) }
    return { type: 'JoinedGroup', body: { event } }
  }
  const changes = await changesOf(children(stanza), { at: timeOf(t), by: Sender, byPhone: SenderPN }, (lid) =>
    phoneIn(lid, phoneOf),
  )
  return {
    type: 'GroupInfo',
    body: { event: { JID, Notify, Sender, SenderPN, Timestamp: timeOf(t), ...changes } },
  }
}

async function phoneIn(jid: string, phoneOf: PhoneOf): Promise<string> {
  return Jid.isLid(jid) ? phoneOf(jid) : ''
}
