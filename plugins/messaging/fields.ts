import { KINDS, T } from 'wamux/plugin'

/**
 * Fields that many routes share, so that a field has the same name, aliases and checks everywhere. Spread or name them
 * in a `body`.
 */

/**
 * Maximum lengths in characters of the kinds of text. The limit of texts is the network's own; for the others only the
 * differing limits of some apps are known, so these are generous.
 */
export const LENGTHS = {
  /** Texts and captions. */
  text: KINDS.text.longest,
  /** Titles, footers, names, labels of buttons and rows. */
  line: KINDS.line.longest,
  /** Links that are part of a message. */
  url: KINDS.link.longest,
  /** Phone numbers, JIDs, ids. */
  id: KINDS.id.longest,
} as const

/** The largest number in a message that every app reads: a larger one would wrap. */
export const MAX_INTEGER = 2 ** 31 - 1

/** The chat that a request is about. */
export const Phone = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  format: 'phone',
  aliases: ['Number', 'Chat', 'Jid'],
  description:
    'Phone number with country code, the JID of a person, group or newsletter, or a username (@name)',
  examples: ['5511999999999'],
})

/** The chat that gets what the request sends. */
export const Recipient = T.String({ ...Phone, leaves: 'recipient' })

/** A message id chosen by the client: the same id is never sent twice. */
export const Id = T.Optional(
  T.String({
    format: 'id',
    aliases: ['MessageId'],
    maxLength: 64,
    // No @: the encoder would take the id for a JID.
    pattern: '^[\\x21-\\x3f\\x41-\\x7e]{1,64}$',
    description: 'Message id of your choice: the same id is never sent twice',
  }),
)

/** A whole number in a query string, of at most `most` digits. */
export const digits = (description: string, most = 15) =>
  T.Optional(T.String({ maxLength: most, pattern: `^\\d{1,${most}}$`, description }))

/** The time of a later send: fields of every send that goes through `send` of the service `sender`. */
export const scheduleFields = {
  SendAt: T.Optional(
    T.String({
      maxLength: 64,
      description:
        'When to send it (plugin `schedule`): RFC 3339, for example 2030-12-24T18:00:00+01:00, or without the offset and with `TimeZone`. Answered with 202 and the `Id`, by which it can be cancelled',
    }),
  ),
  TimeZone: T.Optional(
    T.String({
      maxLength: 64,
      description: 'Time zone of a `SendAt` without an offset, for example Europe/Berlin',
    }),
  ),
}

/** The context of a message: the quoted message, mentions, forwarding. */
export const ContextInfo = T.Object(
  {
    StanzaId: T.Optional(
      T.String({
        format: 'id',
        maxLength: LENGTHS.id,
        description: 'Id of the message that this one replies to',
      }),
    ),
    Participant: T.Optional(
      T.String({
        maxLength: LENGTHS.id,
        format: 'phone',
        names: 'author',
        description: 'Author of that message; in a 1:1 chat the other side when absent',
      }),
    ),
    Chat: T.Optional(
      T.String({
        maxLength: LENGTHS.id,
        format: 'phone',
        leaves: 'nothing',
        description:
          'Chat of that message, if it differs from the recipient: status@broadcast for an answer to a status, or a group for an answer in private',
      }),
    ),
    QuotedMessage: T.Optional(
      T.Unsafe<Record<string, unknown>>({
        type: 'object',
        // No frame of the network has room for more.
        maxSize: 16 * 1024 * 1024,
        names: 'none',
        leaves: 'nothing',
        description: 'Content of that message, if it is not stored here',
      }),
    ),
    MentionedJID: T.Optional(
      T.Array(T.String({ maxLength: LENGTHS.id, format: 'phone', names: 'author' }), {
        maxItems: 1024,
        description: 'Numbers or JIDs mentioned in the text',
      }),
    ),
    MentionAll: T.Optional(
      T.Boolean({ description: 'In a group: mentions all other members, in addition to MentionedJID' }),
    ),
    IsForwarded: T.Optional(T.Boolean()),
    ForwardingScore: T.Optional(T.Integer({ minimum: 0, maximum: MAX_INTEGER })),
    Expiration: T.Optional(
      T.Integer({ minimum: 0, maximum: MAX_INTEGER, description: 'Seconds until it disappears' }),
    ),
  },
  { title: 'ContextInfo', description: 'Reply, mentions, forwarding' },
)

/** Fields of every send. */
export const sendFields = {
  Phone: Recipient,
  Id,
  ...scheduleFields,
  ContextInfo: T.Optional(ContextInfo),
  QuotedText: T.Optional(
    T.String({
      maxLength: LENGTHS.text,
      description: 'Text of the quoted message, if it is not stored here',
    }),
  ),
}

/** The event classes that a client subscribes to; parsed by `subscription` of the kernel's events. */
export const Subscribe = T.Optional(
  T.Array(T.String({ format: 'name' }), {
    aliases: ['Events'],
    maxItems: 200,
    description:
      'Event classes to deliver, as a list or a text with commas; case does not matter, and unknown ones are dropped. An empty list means All, `None` nothing. Absent: unchanged, All for a new one',
    examples: [['Message', 'ReadReceipt']],
  }),
)

/** The response fields about unknown classes: the `notice` of a subscription. */
export const subscribeNotice = {
  dropped: T.Optional(
    T.Array(T.String(), { description: 'Requested classes that no enabled plugin provides; absent if none' }),
  ),
  warning: T.Optional(T.String({ description: 'Present if none of the requested classes is known' })),
}

/** A file: data URL, base64 or http(s) link. */
export const file = (description: string) =>
  T.String({ minLength: 1, format: 'file', description: `${description}: data URL, base64 or http(s) link` })

/** The response of a send. */
export const Sent = T.Object(
  {
    Details: T.String(),
    Id: T.String({ description: 'Message id' }),
    Timestamp: T.String({ description: 'When the network acknowledged it, RFC 3339' }),
    Chat: T.String({ description: 'The chat that it was sent to' }),
  },
  { title: 'Sent' },
)

/** The response of a change: one sentence. */
export const Done = T.Object({ Details: T.String() }, { title: 'Done' })
