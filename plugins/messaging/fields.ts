import { T } from 'wamux/plugin'

/**
 * Fields that many routes share, so that the same thing has the same name, the same aliases and the same checks
 * everywhere. Spread or name them in a `body`.
 */

/**
 * Most characters of what goes to the network. That of texts is the network's own; of the others only some app's are
 * known, which differ, and so these are generous.
 */
export const LENGTHS = {
  /** Texts and captions. */
  text: 65_536,
  /** Titles, footers, names, what a button or a row says. */
  line: 1024,
  /** Links that are part of a message. */
  url: 2048,
  /** Phone numbers, JIDs, ids. */
  id: 256,
} as const

/** One chat: whoever is written to or asked about. */
export const Phone = T.String({
  minLength: 1,
  maxLength: LENGTHS.id,
  format: 'phone',
  aliases: ['Number', 'Chat', 'Jid'],
  description: 'Phone number with country code, or the JID of a person, group or newsletter',
  examples: ['5511999999999'],
})

/** A message id of the client's own: the same one is never sent twice. */
export const Id = T.Optional(
  T.String({
    format: 'id',
    aliases: ['MessageId'],
    // No @: the wire would take the id for a JID.
    pattern: '^[\\x21-\\x3f\\x41-\\x7e]{1,64}$',
    description: 'Message id of your own: the same one is never sent twice',
  }),
)

/** What a message refers to: the one it answers, who is mentioned, that it was forwarded. */
export const ContextInfo = T.Object(
  {
    StanzaId: T.Optional(
      T.String({
        format: 'id',
        maxLength: LENGTHS.id,
        description: 'Id of the message that this one answers',
      }),
    ),
    Participant: T.Optional(
      T.String({
        maxLength: LENGTHS.id,
        format: 'phone',
        description: 'Who wrote that message; in a 1:1 chat the other side when absent',
      }),
    ),
    QuotedMessage: T.Optional(
      T.Unsafe<Record<string, unknown>>({
        type: 'object',
        description: 'Its content, where it is not stored here',
      }),
    ),
    MentionedJID: T.Optional(
      T.Array(T.String({ maxLength: LENGTHS.id, format: 'phone' }), {
        maxItems: 1024,
        description: 'Numbers or JIDs that the text mentions',
      }),
    ),
    IsForwarded: T.Optional(T.Boolean()),
    ForwardingScore: T.Optional(T.Integer({ minimum: 0 })),
    Expiration: T.Optional(T.Integer({ minimum: 0, description: 'Seconds until it disappears' })),
  },
  { description: 'Reply, mentions, forwarding' },
)

/** Fields that every send takes. */
export const sendFields = {
  Phone,
  Id,
  ContextInfo: T.Optional(ContextInfo),
  QuotedText: T.Optional(
    T.String({
      maxLength: LENGTHS.text,
      description: 'Text of the quoted message, where it is not stored here',
    }),
  ),
}

/** Event classes that a client wants; read with `subscription` of the kernel's events. */
export const Subscribe = T.Optional(
  T.Array(T.String(), {
    aliases: ['Events'],
    description:
      'Event classes to deliver, in any case; unknown ones are dropped, an empty list means All. Absent: unchanged, All for a new one',
    examples: [['Message', 'ReadReceipt']],
  }),
)

/** What an answer says of unknown classes: the `notice` of a subscription. */
export const subscribeNotice = {
  dropped: T.Optional(
    T.Array(T.String(), { description: 'Given classes that no enabled plugin provides; absent for none' }),
  ),
  warning: T.Optional(T.String({ description: 'Present where none of the given classes is known' })),
}

/** A file: data URL, base64 or http(s) link. */
export const file = (description: string) =>
  T.String({ minLength: 1, description: `${description}: data URL, base64 or http(s) link` })

/** What a send answers. */
export const Sent = T.Object({
  Details: T.String(),
  Id: T.String({ description: 'Message id' }),
  Timestamp: T.String({ description: 'When the network took it, RFC 3339' }),
  Chat: T.String({ description: 'The chat that it went to' }),
})

/** What a change answers: a sentence. */
export const Done = T.Object({ Details: T.String() })
