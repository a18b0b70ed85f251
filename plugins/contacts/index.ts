import { asFunction, definePlugin } from 'wamux/plugin'
import { createContactStore } from './contact-store.ts'
import { type Contacts, createContacts } from './contacts.ts'
import { events } from './events.ts'
import { migrations } from './migrations.ts'
import { ofNewOwner } from './new-owner.ts'
import { ofMessage } from './push-name.ts'
import { createPushNameCache } from './push-name-cache.ts'
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
