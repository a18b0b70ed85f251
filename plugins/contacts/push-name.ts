import { Jid } from 'wamux/messaging'
import type { Recording, Sessions, Signal } from 'wamux/plugin'
import type { ContactStore } from './contact-store.ts'
import { findPerson } from './person.ts'
import type { PushNameCache } from './push-name-cache.ts'

interface Deps {
  contactStore: ContactStore
  pushNames: PushNameCache
  sessions: Sessions
}

/** Records the push name and the username that a message carries. */
export async function ofMessage(
  { session, data: { message } }: Signal<'message'>,
  { contactStore, pushNames, sessions }: Deps,
): Promise<Recording | undefined> {
  const { key, pushName } = message
  const sender = key.participant || key.remoteJid || ''
  if (key.fromMe || !pushName || !Jid.isPerson(sender)) return undefined
  const alt = key.participant ? key.participantAlt : key.remoteJidAlt
  const person = await findPerson(sessions, session, sender, alt)
  const username = key.participantUsername || key.remoteJidUsername || undefined
  const named = username && pushNames.isNewUsername(session, person.jid, username) ? { username } : undefined
  const before = await pushNames.changed(session, person.jid, pushName)
  if (before === undefined)
    return named && { writes: contactStore.record(session, [{ ...person, ...named }]) }
  const time = new Date(Number(message.messageTimestamp ?? 0) * 1000).toISOString()
  const event = {
    JID: person.jid,
    JIDAlt: person.lid === person.jid ? '' : person.lid,
    Message: { ID: key.id ?? '', Chat: key.remoteJid ?? '', Sender: sender, Timestamp: time },
    OldPushName: before,
    NewPushName: pushName,
  }
  return {
    events: [{ type: 'PushName', key: `${person.jid} ${key.id} ${pushName}`, time, body: { event } }],
    writes: contactStore.record(session, [{ ...person, pushName, ...named }]),
  }
}
