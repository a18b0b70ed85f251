import { Jid } from 'wamux/messaging'
import type { Session } from 'wamux/plugin'
import type { MessagePerson, NormalMessage } from '../normal-message.ts'

type Account = Pick<Session, 'jid' | 'lid'>

/** A person by one or both forms of the JID. */
export function personOf(jid: string, alt = ''): MessagePerson {
  const lid = Jid.isLid(jid) ? jid : Jid.isLid(alt) ? alt : ''
  return { jid, phone: phoneIn(jid) || phoneIn(alt), lid }
}

/** Like `personOf`; the account itself is known by both forms. */
export function personBeside({ jid: own, lid }: Account, someone: string | null | undefined): MessagePerson {
  const jid = Jid.bare(someone)
  if (jid === own) return personOf(jid, lid)
  return jid === lid && jid ? personOf(jid, own) : personOf(jid)
}

/** The chat; `alt` is the other form of the JID of a chat with one person. */
export function chatOf(jid: string, alt: string): NormalMessage['chat'] {
  const { phone, lid } = personOf(jid, Jid.isPerson(jid) ? alt : '')
  const isGroup = Jid.isGroup(jid)
  return { jid, phone, lid, type: chatType(jid, isGroup), isGroup }
}

function chatType(jid: string, isGroup: boolean): NormalMessage['chat']['type'] {
  if (isGroup) return 'group'
  if (Jid.isPerson(jid)) return 'person'
  if (jid === Jid.status) return 'status'
  if (Jid.isBroadcast(jid)) return 'broadcast'
  return Jid.isNewsletter(jid) ? 'newsletter' : 'person'
}

/** Limit of number look-ups per message: a sender may mention any number of people. */
const MAX_LOOKUPS = 64

/** Adds the numbers of people named only by LID, as far as the link has them in memory or stored. */
export async function addPhones(socket: Session['socket'], people: readonly MessagePerson[]): Promise<void> {
  if (!socket) return
  const unknown = people.filter(({ phone, lid }) => lid && !phone).slice(0, MAX_LOOKUPS)
  await Promise.all(
    unknown.map(async (person) => {
      person.phone = phoneIn(await socket.knownAlt(person.lid))
    }),
  )
}

function phoneIn(jid: string): string {
  const at = jid.indexOf('@')
  return jid.startsWith('@s.whatsapp.net', at) ? jid.slice(0, at) : ''
}
