import type { Recording, Sessions, Signal } from 'wamux/plugin'
import type { ContactStore } from './contact-store.ts'
import { findPerson } from './person.ts'

/** A contact was saved or removed, by any device of the account. */
export async function ofSavedContact(
  { session, data }: Signal<'setting'>,
  { contactStore, sessions }: { contactStore: ContactStore; sessions: Sessions },
): Promise<Recording | undefined> {
  const { index, operation, action, isOld, time, version } = data
  const [kind, jid = ''] = index
  if (kind !== 'contact' && kind !== 'lid_contact') return undefined
  const saved = (kind === 'contact' ? action.contactAction : action.lidContactAction) ?? {}
  const { firstName, fullName, username } = operation === 'set' ? saved : {}
  const lid = kind === 'contact' ? action.contactAction?.lidJid : undefined
  const person = await findPerson(sessions, session, jid, lid)
  const writes = contactStore.record(session, [
    {
      ...person,
      firstName: firstName ?? '',
      fullName: fullName ?? '',
      ...(username ? { username } : {}),
    },
  ])
  if (isOld) return { writes }
  const event = {
    JID: person.jid,
    JIDAlt: person.lid === person.jid ? '' : person.lid,
    Timestamp: time,
    Action: operation === 'set' ? inFamilyCasing(saved) : {},
    Removed: operation === 'remove',
    FromFullSync: false,
  }
  const key = `${version} ${time} ${index.join(' ')}`
  return { events: [{ type: 'Contact', key, chat: person.jid, time, body: { event } }], writes }
}

function inFamilyCasing(saved: object): Record<string, unknown> {
  const { lidJid, pnJid, ...rest } = saved as { lidJid?: string; pnJid?: string }
  return { ...rest, ...(lidJid ? { lidJID: lidJid } : {}), ...(pnJid ? { pnJID: pnJid } : {}) }
}
