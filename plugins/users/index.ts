import { definePlugin, type ExplainedErrorRow } from 'wamux/plugin'
import { botRoutes } from './bots/routes.ts'
import { events } from './events.ts'
import { accountRoutes } from './routes-account.ts'
import { lookupRoutes } from './routes-lookup.ts'
import { privacyRoutes } from './routes-privacy.ts'
import { sharedRoutes } from './routes-shared.ts'
import { usernameRoutes } from './routes-username.ts'
import { ofNotification, ofPrivacy } from './translate.ts'

const errors = {
  PRESENCE_INVALID: [
    400,
    "Invalid presence type. Allowed values: 'available', 'unavailable'",
    {
      meaning: 'The presence is not one of the two values.',
      cause: '`type` is misspelled or belongs to another route.',
      remedy: 'Send `available` or `unavailable`; for typing use `POST /chat/typing/start`.',
    },
  ],
  AVATAR_UNKNOWN: [
    404,
    'No avatar found',
    {
      meaning: 'The person or group shows no picture.',
      cause: 'There is none, or its owner does not show it to this account.',
      remedy: 'Treat it as absent; the request need not be repeated.',
    },
  ],
  USERNAME_REFUSED: [
    409,
    'WhatsApp does not give the username %s: %s',
    {
      meaning: 'WhatsApp does not let the account have this username.',
      cause: 'Another account has it, it is reserved, or the account has changed its username too often.',
      remedy:
        'Ask `GET /user/username/available` whether it is free; if it is not, the answer suggests others. If it is free, try again later, or set it on the phone.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Looking up people and bots; the account's own profile, name, privacy, block list and limits. */
export default definePlugin({
  name: 'users',
  version: '0.1.0',
  api: '^1.0.0',
  errors,
  needs: ['targets', 'sender', 'media', 'wire'],
  wants: ['presenceSubscriptions'],
  events,
  translate: {
    'stanza.notification': async ({ data, session }, { sessions }) =>
      ofNotification(data, (await sessions.byId(session))?.socket),
    'privacy.settings': ofPrivacy,
  },
  routes: (r) => [
    ...lookupRoutes(r),
    ...accountRoutes(r),
    ...privacyRoutes(r),
    ...usernameRoutes(r),
    ...sharedRoutes(r),
    ...botRoutes(r),
  ],
})
