import { children } from 'wamux/messaging'
import type { LiveSession } from 'wamux/plugin'
import type { ContactStore } from './contact-store.ts'
import type { Contacts } from './contacts.ts'

interface Parts {
  contactStore: ContactStore
  contacts: Contacts
}

/** The recipients of a broadcast list, as far as a companion device can know them. */
export async function audience(
  { contactStore, contacts }: Parts,
  session: LiveSession,
  list: string,
): Promise<string[]> {
  if (list === 'status@broadcast') return ofStatus(contacts, session)
  // Lists are stored on the phone; only those in the history that it sent when linking are known.
  return contactStore.recipients(session.id, list)
}

/** By the privacy setting of status posts: only some contacts, or all saved contacts except some. */
async function ofStatus(contacts: Contacts, session: LiveSession): Promise<string[]> {
  const content = [{ tag: 'privacy', attrs: {} }]
  const iq = { tag: 'iq', attrs: { to: 's.whatsapp.net', type: 'get', xmlns: 'status' }, content }
  const reply = await session.socket.query(iq, 'read the status privacy')
  const lists = children(children(reply).find(({ tag }) => tag === 'privacy'))
  const list = lists.find(({ attrs }) => attrs['default'] === 'true') ?? lists[0]
  const named = children(list).map(({ attrs }) => attrs['jid'] ?? '')
  const type = list?.attrs['type']
  if (type === 'whitelist') return named
  const kept = new Set(type === 'blacklist' ? named : [])
  return (await contacts.named(session.id))
    .filter(({ jid, lid }) => !kept.has(jid) && !kept.has(lid))
    .map(({ jid }) => jid)
}
