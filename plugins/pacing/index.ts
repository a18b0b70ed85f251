import { asFunction, definePlugin } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createContacts } from './contacts.ts'
import { createHolds, isAboutLimits } from './holds.ts'
import { migrations } from './migrations.ts'
import { createPace, type Pace } from './pace.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    pace: Pace
  }
}

/** Keeps sessions to a pace that WhatsApp bears, and away from new contacts while it says so. */
export default definePlugin({
  name: 'pacing',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  provides: ['pace'],
  migrations,
  services: () => ({
    contacts: asFunction(createContacts).singleton(),
    holds: asFunction(createHolds).singleton(),
    pace: asFunction(createPace).singleton(),
  }),
  translate: {
    message: ({ session, data: { message } }, { contacts }) => contacts.met(session, [message.key]),
    'message.sent': ({ session, data: { message } }, { contacts }) => contacts.met(session, [message.key]),
    'baileys.messaging-history.set': ({ session, data: { chats } }, { contacts }) =>
      contacts.met(
        session,
        chats.map(({ id }) => ({ remoteJid: id })),
      ),
    'message.failed': ({ session, data: { network } }, { holds }) => {
      if (network === '463') holds.refused(session)
      return undefined
    },
    'stanza.notification': ({ session, data }, { holds }) => {
      if (isAboutLimits(data)) holds.forget(session)
      return undefined
    },
  },
})
