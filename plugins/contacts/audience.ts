import { statusViewers } from 'wamux/messaging'
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
  if (list === 'status@broadcast')
    return (await statusViewers(session, () => contacts.named(session.id))).jids
  // Lists are stored on the phone; only those in the history that it sent when linking are known.
  return contactStore.recipients(session.id, list)
}
