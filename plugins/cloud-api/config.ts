import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  appSecret: T.Optional(
    T.String({
      minLength: 1,
      description: 'App secret that signs the webhooks of sessions without their own (`X-Hub-Signature-256`)',
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
    description: 'Days to keep uploaded files and the choices of interactive messages',
  }),
  timeoutMs: T.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 60_000,
    description: 'Milliseconds within which a webhook must answer the challenge when it is set',
  }),
})

export type CloudConfig = Static<typeof ConfigSchema>

/** Settings of each session. */
export const SessionSchema = T.Object({
  interactive: T.Union(
    [
      T.Literal('poll', { title: 'As a poll' }),
      T.Literal('text', { title: 'As a numbered text' }),
      T.Literal('native', { title: 'As native buttons' }),
    ],
    {
      title: 'Reply buttons and lists',
      default: 'poll',
      description: 'How they are sent; not every app shows native buttons',
    },
  ),
  groups: T.Boolean({
    title: 'Group messages',
    default: false,
    description: 'Also deliver group messages, with `group_id`; clients that do not know it reply in private',
  }),
  echoes: T.Boolean({
    title: 'Messages of the phone',
    default: false,
    description: 'Deliver messages sent on the phone or by other routes, as `smb_message_echoes`',
  }),
})

export type SessionValues = Static<typeof SessionSchema>
