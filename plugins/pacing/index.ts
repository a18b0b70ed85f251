import { asFunction, definePlugin, type ExplainedErrorRow, type Metric } from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createKnownContacts } from './known-contacts.ts'
import { migrations } from './migrations.ts'
import { createPace, type Pace } from './pace.ts'
import { createRestrictions, isAboutLimits, type Restrictions } from './restrictions.ts'

interface Deps {
  pace: Pace
  restrictions: Restrictions
}

const metrics = ({ pace, restrictions }: Deps) =>
  ({
    wamux_pacing_waits_total: {
      type: 'counter',
      help: 'Sends that waited for their turn',
      collect: () => pace.tally.waits,
    },
    wamux_pacing_wait_seconds_total: {
      type: 'counter',
      help: 'Seconds that sends waited for their turn',
      collect: () => pace.tally.waitedMs / 1000,
    },
    wamux_pacing_held_total: {
      type: 'counter',
      help: 'Sends to new chats that were refused while the network restricts the account',
      collect: () => pace.tally.held,
    },
    wamux_pacing_restricted_sessions: {
      type: 'gauge',
      help: 'Sessions known to be restricted: a timelock, or the limit of new chats is reached',
      collect: () => restrictions.count(),
    },
  }) satisfies Record<string, Metric>

const errors = {
  NEW_CHATS_HELD: [
    429,
    'This account may not start new chats until %s; nothing was sent',
    {
      meaning: 'The plugin pacing holds back messages to new chats.',
      cause: 'WhatsApp reported a restriction of the account.',
      remedy: 'Wait until then; existing chats still work.',
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
