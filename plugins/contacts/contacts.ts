import type { Contact, ContactStore } from './contact-store.ts'

/** The contacts of a session, from the gateway's database. */
export interface Contacts {
  all(session: string): Promise<Contact[]>
  /** The contacts of these people, by either form of the JID. */
  byJids(session: string, jids: readonly string[]): Promise<Contact[]>
  /** Saved contacts only: the recipients of status posts. */
  named(session: string): Promise<Contact[]>
}

export function createContacts({ contactStore }: { contactStore: ContactStore }): Contacts {
  const all: Contacts['all'] = async (session) => merged(await contactStore.all(session))
  return {
    all,
    byJids: async (session, jids) => merged(await contactStore.find(session, jids)),
    named: async (session) => (await all(session)).filter(({ firstName, fullName }) => firstName || fullName),
  }
}

/** A person may have been stored by LID before the number was known. */
function merged(contacts: readonly Contact[]): Contact[] {
  const byLid = new Map(contacts.filter(({ jid, lid }) => lid && lid !== jid).map((one) => [one.lid, one]))
  return contacts.flatMap((contact) => {
    const known = byLid.get(contact.jid)
    if (!known) return [contact]
    known.firstName ||= contact.firstName
    known.fullName ||= contact.fullName
    known.pushName ||= contact.pushName
    known.businessName ||= contact.businessName
    known.username ||= contact.username
    return []
  })
}
