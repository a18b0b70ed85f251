import { asFunction, definePlugin, type ExplainedErrorRow } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createKnownContacts } from './known-contacts.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { createPace, type Pace } from './pace.ts'
import { createRestrictions, isAboutLimits } from './restrictions.ts'

const errors = {
  NEW_CHATS_HELD: [
    429,
    'This account may not start new chats until %s; nothing was sent',
    {
      meaning: 'The plugin pacing holds back messages to new chats.',
      cause: 'WhatsApp reported a restriction of the account.',
      remedy: 'Wait until the time in the text; messages in existing chats go on.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
  interface GatewayServices {
    pace: Pace
  }
}

/** Limits the send rate of sessions, and refuses new chats while WhatsApp restricts the account. */
export default definePlugin({
  name: 'pacing',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  config: ConfigSchema,
  provides: ['pace'],
  migrations,
  services: () => ({
    knownContacts: asFunction(createKnownContacts).singleton(),
    restrictions: asFunction(createRestrictions).singleton(),
    pace: asFunction(createPace).singleton(),
  }),
  contributes: { metrics },
  translate: {
    message: ({ session, data: { message } }, { knownContacts }) => knownContacts.met(session, [message.key]),
    'message.sent': ({ session, data: { message } }, { knownContacts }) =>
      knownContacts.met(session, [message.key]),
    'baileys.messaging-history.set': ({ session, data: { chats } }, { knownContacts }) =>
      knownContacts.met(
        session,
        chats.map(({ id }) => ({ remoteJid: id })),
      ),
    'message.failed': ({ session, data: { code } }, { restrictions }) => {
      // A missing token is a matter of that recipient.
      if (code === 'ACCOUNT_RESTRICTED') restrictions.refused(session)
      return undefined
    },
    'stanza.notification': ({ session, data }, { restrictions }) => {
      if (isAboutLimits(data)) restrictions.forget(session)
      return undefined
    },
  },
})
