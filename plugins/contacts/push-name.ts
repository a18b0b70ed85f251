import { isPersonJid, type Recording, type Sessions, type Signal } from 'wamux/plugin'
import type { Names } from './names.ts'
import type { People } from './people.ts'
import { findPerson } from './person.ts'

interface Deps {
  people: People
  names: Names
  sessions: Sessions
}

/** A message tells what its sender calls itself. */
export async function ofMessage(
  { session, data: { message } }: Signal<'message'>,
  { people, names, sessions }: Deps,
): Promise<Recording | undefined> {
  const { key, pushName } = message
  const sender = key.participant || key.remoteJid || ''
  if (key.fromMe || !pushName || !isPersonJid(sender)) return undefined
  const alt = key.participant ? key.participantAlt : key.remoteJidAlt
  const person = await findPerson(sessions, session, sender, alt)
  const before = await names.changed(session, person.jid, pushName)
  if (before === undefined) return undefined
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
    writes: people.learn(session, [{ ...person, pushName }]),
  }
}
