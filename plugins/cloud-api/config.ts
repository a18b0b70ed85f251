import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  appSecret: T.Optional(
    T.String({
      minLength: 1,
      description:
        'App secret that signs webhooks of sessions which have set none of their own (`X-Hub-Signature-256`)',
    }),
  ),
  uploadBytes: T.Integer({
    default: 64 * 1024 * 1024,
    minimum: 1024,
    maximum: 100 * 1024 * 1024,
    description: 'Largest file in bytes that can be uploaded',
  }),
  keepDays: T.Number({
    default: 30,
    exclusiveMinimum: 0,
    description: 'Days for which uploaded files and the choices of interactive messages are kept',
  }),
  timeoutMs: T.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 60_000,
    description: 'Milliseconds within which a webhook must answer the challenge, when it is set',
  }),
})

export type CloudConfig = Static<typeof ConfigSchema>

/** What each session sets for itself. */
export const SessionSchema = T.Object({
  interactive: T.Enum(['poll', 'text', 'native'], {
    default: 'poll',
    description:
      'How reply buttons and lists are sent: as a poll, as a numbered text, or as native buttons, which not every app shows',
  }),
  groups: T.Boolean({
    default: false,
    description:
      'Deliver messages of groups too, with `group_id`; clients that do not know it reply in private',
  }),
  echoes: T.Boolean({
    default: false,
    description: 'Deliver messages that were sent on the phone, or by other routes, as `smb_message_echoes`',
  }),
})

export type SessionValues = Static<typeof SessionSchema>
