import { unixSeconds } from 'wamux/messaging'
import type { GatewayEvents } from 'wamux/plugin'
import type { About, Named, Readers } from '../dialect.ts'
import { phoneJidIn, userOf } from '../people.ts'

type Fields = Record<string, unknown>

/** Presence, calls, chats, contacts and labels. */
export const chatReaders: Readers = {
  Presence({ event, state }) {
    const id = phoneJidIn(String(event['From']), String(event['FromAlt']))
    const lastSeen = event['LastSeen'] ? { lastSeen: unixSeconds(String(event['LastSeen'])) } : {}
    return presence(id, id, {
      lastKnownPresence: state === 'online' ? 'available' : 'unavailable',
      ...lastSeen,
    })
  },
  ChatPresence({ event }) {
    const sender = phoneJidIn(String(event['Sender']), String(event['SenderAlt']))
    const active = event['Media'] === 'audio' ? 'recording' : 'composing'
    const lastKnownPresence = event['State'] === 'composing' ? active : 'paused'
    return presence(event['IsGroup'] ? String(event['Chat']) : sender, sender, { lastKnownPresence })
  },
  CallOffer: (body) => call('offer', body),
  CallOfferNotice: (body) => call('offer', body),
  CallAccept: (body) => call('accept', body),
  CallReject: (body) => call('reject', body),
  CallTerminate: (body) => call('terminate', body),
  Archive: updated,
  Mute: updated,
  Pin: updated,
  MarkChatAsRead: updated,
  DeleteChat: ({ event }) => [{ event: 'chats.delete', data: [phoneJidIn(event.JID, event.JIDAlt)] }],
  PushName({ event }, { session }) {
    const remoteJid = phoneJidIn(String(event['JID']), String(event['JIDAlt']))
    const contact = { remoteJid, pushName: event['NewPushName'], profilePicUrl: null, instanceId: session.id }
    return [{ event: 'contacts.update', data: [contact] }]
  },
  LabelEdit({ event: { LabelID: id, Action } }, { session }) {
    const { name = '', color = 0, deleted = false } = Action
    return [{ event: 'labels.edit', data: { id, name, color, deleted, instance: session.name } }]
  },
  LabelAssociationChat({ event: { LabelID: labelId, JID, JIDAlt, Action } }, { session }) {
    const type = Action['labeled'] ? 'add' : 'remove'
    const chatId = phoneJidIn(JID, JIDAlt)
    return [{ event: 'labels.association', data: { instance: session.name, type, chatId, labelId } }]
  },
}

function presence(id: string, person: string, one: Fields): Named[] {
  return [{ event: 'presence.update', data: { id, presences: { [person]: one } } }]
}

function call(status: string, { event }: GatewayEvents['CallOffer']): Named[] {
  const from = phoneJidIn(String(event['CallCreator']), String(event['CallCreatorAlt']))
  const group = String(event['GroupJID'])
  const data = {
    chatId: group || from,
    from,
    id: event['CallID'],
    date: event['Timestamp'],
    offline: false,
    status,
    isVideo: event['Media'] === 'video',
    isGroup: group !== '',
  }
  return [{ event: 'call', data }]
}

function updated({ event }: GatewayEvents['Archive'], { session }: About): Named[] {
  const remoteJid = phoneJidIn(event.JID, event.JIDAlt)
  return [{ event: 'chats.update', data: [{ remoteJid, instanceId: session.id }] }]
}

const CHANGES = [
  ['Join', 'add'],
  ['Leave', 'remove'],
  ['Promote', 'promote'],
  ['Demote', 'demote'],
] as const

export const groupReaders: Readers = {
  GroupInfo({ event }) {
    const id = String(event['JID'])
    const author = phoneJidIn(String(event['Sender']), String(event['SenderPN']))
    const changes = CHANGES.flatMap(([list, action]) => {
      const alts = (event[`${list}Alt`] ?? []) as string[]
      const participants = ((event[list] ?? []) as string[]).map((jid, at) => phoneJidIn(jid, alts[at] ?? ''))
      const participantsData = participants.map((jid) => ({ jid, phoneNumber: userOf(jid) }))
      const data = { id, author, participants, action, participantsData }
      return participants.length > 0 ? [{ event: 'group-participants.update', data }] : []
    })
    const changed = changedIn(event)
    return Object.keys(changed).length > 0
      ? [...changes, { event: 'groups.update', data: [{ id, author, ...changed }] }]
      : changes
  },
  JoinedGroup({ event }) {
    const participants = ((event['Participants'] ?? []) as Fields[]).map((one) => ({
      id: String(one['PhoneNumber'] || one['JID']),
      admin: one['IsSuperAdmin'] ? 'superadmin' : one['IsAdmin'] ? 'admin' : null,
    }))
    const group = {
      id: event['JID'],
      subject: event['Name'],
      owner: String(event['OwnerPN'] || event['OwnerJID']),
      desc: event['Topic'],
      announce: event['IsAnnounce'],
      restrict: event['IsLocked'],
      size: participants.length,
      participants,
    }
    return [{ event: 'groups.upsert', data: [group] }]
  },
}

function changedIn(event: Fields): Fields {
  const { Name, Topic, Announce, Locked } = event as Record<string, Fields | null>
  return {
    ...(Name ? { subject: Name['Name'] } : {}),
    ...(Topic ? { desc: Topic['Topic'] } : {}),
    ...(Announce ? { announce: Announce['IsAnnounce'] } : {}),
    ...(Locked ? { restrict: Locked['IsLocked'] } : {}),
  }
}
