import { asFunction, definePlugin } from 'wamux/plugin'
import { type Contacts, createContacts } from './contacts.ts'
import { events } from './events.ts'
import { ofHistory, ofUpdate } from './learn.ts'
import { migrations } from './migrations.ts'
import { createNames } from './names.ts'
import { createPeople } from './people.ts'
import { ofMessage } from './push-name.ts'
import { routes } from './routes.ts'
import { ofSetting } from './setting.ts'

export type { Contact, Contacts } from './contacts.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    contacts: Contacts
  }
}

/** Who an account knows: saved contacts, people who wrote, and whom its broadcasts reach. */
export default definePlugin({
  name: 'contacts',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets'],
  provides: ['contacts'],
  migrations,
  services: () => ({
    people: asFunction(createPeople).singleton(),
    contacts: asFunction(createContacts).singleton(),
    names: asFunction(createNames).singleton(),
  }),
  routes,
  events,
  translate: {
    setting: ofSetting,
    message: ofMessage,
    'baileys.contacts.update': ofUpdate,
    'baileys.messaging-history.set': ofHistory,
    'session.opened': ({ session }, { names }) => {
      // Another process may have had the session meanwhile.
      names.forget(session)
      return undefined
    },
  },
})
