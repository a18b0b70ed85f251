import { asFunction, definePlugin, type Recording, type Signal } from 'wamux/plugin'
import { type ContactStore, createContactStore } from './contact-store.ts'
import { type Contacts, createContacts } from './contacts.ts'
import { events } from './events.ts'
import { migrations } from './migrations.ts'
import { ofMessage } from './push-name.ts'
import { createPushNameCache, type PushNameCache } from './push-name-cache.ts'
import { ofHistory, ofUpdate } from './record-names.ts'
import { routes } from './routes.ts'
import { ofSavedContact } from './saved-contact.ts'

export type { Contact } from './contact-store.ts'
export type { Contacts } from './contacts.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    contacts: Contacts
  }
}

/** The contacts of an account: saved ones, senders of messages, and recipients of its broadcast lists. */
export default definePlugin({
  name: 'contacts',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets'],
  provides: ['contacts'],
  migrations,
  services: () => ({
    contactStore: asFunction(createContactStore).singleton(),
    contacts: asFunction(createContacts).singleton(),
    pushNames: asFunction(createPushNameCache).singleton(),
  }),
  routes,
  events,
  translate: {
    setting: ofSavedContact,
    message: ofMessage,
    'number.owner': ofNewOwner,
    'baileys.contacts.update': ofUpdate,
    'baileys.messaging-history.set': ofHistory,
    'session.opened': ({ session }, { pushNames }) => {
      // Another process may have run the session meanwhile.
      pushNames.forget(session)
      return undefined
    },
  },
})

interface Deps {
  contactStore: ContactStore
  pushNames: PushNameCache
}

/**
 * Divides the contact of a number that has a new owner: names of the person's own go with the former LID. Names from the address
 * book stay with the number, too, since phones save numbers.
 */
async function ofNewOwner(
  { session, data: { pn: jid, lid, formerLid }, time }: Signal<'number.owner'>,
  { contactStore, pushNames }: Deps,
): Promise<Recording> {
  const [known] = await contactStore.find(session, [jid])
  pushNames.forget(session)
  const former = known?.lid === formerLid ? [{ ...known, jid: formerLid }] : []
  const next = { jid, lid, pushName: '', businessName: '', username: '' }
  const event = { JID: jid, LID: lid, FormerLID: formerLid, Timestamp: time }
  return {
    events: [{ type: 'NumberOwner', key: `${jid} ${lid} ${time}`, chat: formerLid, time, body: { event } }],
    writes: known ? contactStore.record(session, [...former, next]) : [],
  }
}
