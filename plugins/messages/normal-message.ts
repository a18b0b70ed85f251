import { type Static, T } from 'wamux/plugin'

const person = {
  jid: T.String({ description: 'LID or phone JID, as named by the network; can be used as Phone' }),
  phone: T.String({ description: 'Phone number, digits only; empty if unknown' }),
  lid: T.String({ description: 'LID, for example 910000000911557@lid; empty if unknown' }),
}
const Person = T.Object(person)
const Named = T.Object({
  ...person,
  name: T.String({ description: "The person's own name; empty if unknown" }),
  username: T.String({ description: 'Without @; empty if unknown' }),
})

/** The kind of a message, by its content. */
const Kind = T.Enum(
  [
    ...(['text', 'image', 'video', 'videoNote', 'audio', 'voice', 'document', 'sticker'] as const),
    ...(['location', 'liveLocation', 'contact', 'poll', 'event', 'invite', 'product', 'order'] as const),
    ...(['interactive', 'selection', 'album', 'vote', 'reaction', 'edit', 'revoke', 'pin'] as const),
    ...(['comment', 'eventResponse'] as const),
    ...(['system', 'undecryptable', 'other'] as const),
  ],
  {
    description:
      'Kind of content; interactive: buttons, lists, templates; selection: the choice from them; system: a setting of the chat; other: see `event.Message`',
  },
)

const Ad = T.Object(
  {
    source: T.String({ description: 'ad or post; empty if the sender does not tell it' }),
    id: T.String({ description: 'Id of the ad or post at Meta; empty if unknown' }),
    url: T.String({ description: 'Link to it; empty if unknown' }),
    headline: T.String(),
    body: T.String(),
    ctwaClid: T.String({ description: "Click id, for Meta's Conversions API; empty if unknown" }),
    app: T.String({ description: 'Where it was shown, for example facebook or instagram' }),
    greeting: T.Optional(T.String({ description: 'The text with which the ad greets' })),
    media: T.Optional(
      T.Object({
        type: T.Enum(['image', 'video'] as const),
        url: T.String({ description: "At Meta, or for a video its page; not the message's own file" }),
        thumbnailUrl: T.String({ description: 'For a video; otherwise empty' }),
      }),
    ),
  },
  {
    description:
      'The ad or post with "click to WhatsApp" from which the message was written. Some devices get only tokens for Meta: then id, url and texts are empty',
  },
)

const BusinessOrigin = T.Object(
  {
    actors: T.Optional(
      T.Enum(['self', 'provider', 'cloudApi'] as const, {
        description: "Who reads the business's chats: itself, a company that works for it, or the Cloud API",
      }),
    ),
    storage: T.Optional(T.Enum(['own', 'meta'] as const, { description: 'Where they are stored' })),
    since: T.Optional(T.String({ format: 'date-time' })),
    isHosted: T.Boolean({
      description: 'Sent by the Cloud API for a number that the app uses too (coexistence)',
    }),
  },
  { description: 'How the business works that has sent the message, as far as the network tells it' },
)

const LivePosition = T.Object(
  {
    accuracy: T.Optional(T.Integer({ description: 'Metres' })),
    speed: T.Optional(T.Number({ description: 'Metres a second' })),
    heading: T.Optional(T.Integer({ description: 'Degrees clockwise from magnetic north' })),
    sequence: T.Optional(T.Integer({ description: 'Number of the position; grows with later ones' })),
    age: T.Optional(T.Integer({ description: 'Seconds between the measurement and the message' })),
  },
  {
    description:
      'Of a live location, as far as the phone tells it. WhatsApp shows later positions on phones only; they are no messages',
  },
)

/** A message in a few plain fields, whatever its content, next to the `event` of this family of gateways. */
export const NormalMessage = T.Object(
  {
    id: T.String({ description: 'Message id' }),
    type: Kind,
    text: T.String({
      description: 'Text, caption, question, or the new text of an edit; empty if there is none',
    }),
    from: Named,
    chat: T.Object(
      {
        ...person,
        type: T.Enum(['person', 'group', 'newsletter', 'status', 'broadcast'] as const),
        isGroup: T.Boolean(),
      },
      { description: 'The chat; a reply goes to `chat.jid`' },
    ),
    to: T.Optional(
      T.Object(
        { ...person, username: T.String({ description: 'Without @; empty if unknown' }) },
        { description: 'The other side of a chat with one person' },
      ),
    ),
    time: T.String({ format: 'date-time' }),
    isFromMe: T.Boolean({ description: 'Sent by this account, on any of its devices' }),
    isFromGateway: T.Optional(
      T.Literal(true, { description: 'Sent through this gateway; absent for messages of other devices' }),
    ),
    refused: T.Optional(
      T.Literal(true, {
        description:
          'The sender tried to edit, revoke or pin a message without being its author or, where that suffices, an admin of the group. As in the apps, nothing is changed; `type` is other, and the content is in `event.Message`',
      }),
    ),
    isForwarded: T.Boolean(),
    isEdited: T.Boolean({ description: 'It changes an earlier message: its new text is `text`' }),
    isViewOnce: T.Boolean(),
    isEphemeral: T.Boolean(),
    media: T.Optional(
      T.Object(
        {
          mimeType: T.String(),
          fileName: T.String({ description: "A document's own name, or else message id and extension" }),
          size: T.Integer({ description: 'Bytes, as declared by the sender' }),
          seconds: T.Optional(T.Integer({ description: 'For audio and video' })),
          width: T.Optional(T.Integer()),
          height: T.Optional(T.Integer()),
        },
        { description: 'Its file, which a delivery contains in `base64` or links to in `mediaUrl`' },
      ),
    ),
    quoted: T.Optional(
      T.Object({ id: T.String(), type: Kind, text: T.String(), from: Person }, { description: 'Replied to' }),
    ),
    mentions: T.Array(Person),
    targetId: T.Optional(
      T.String({
        description:
          'Id of the message that is edited, revoked, pinned, commented on, reacted to, answered or voted on. Edits and revocations are of the author of that message, or of an admin (`Edit` 8)',
      }),
    ),
    reaction: T.Optional(T.Object({ emoji: T.String({ description: 'Empty: the reaction was removed' }) })),
    poll: T.Optional(
      T.Object({
        question: T.String(),
        options: T.Array(T.String()),
        maxSelections: T.Integer({ description: '0: any number' }),
        correctAnswer: T.Optional(T.String({ description: 'Of a quiz: the option that is right' })),
      }),
    ),
    vote: T.Optional(
      T.Object({
        question: T.String(),
        options: T.Array(T.String(), { description: 'The chosen options; empty: the vote was withdrawn' }),
      }),
    ),
    eventResponse: T.Optional(
      T.Object(
        {
          response: T.Enum(['going', 'notGoing', 'maybe'] as const),
          guests: T.Integer({ description: 'Guests that the sender brings' }),
        },
        { description: 'The answer to an event' },
      ),
    ),
    selection: T.Optional(
      T.Object({ id: T.String(), text: T.String() }, { description: 'The chosen button or row' }),
    ),
    location: T.Optional(
      T.Object({
        latitude: T.Number(),
        longitude: T.Number(),
        name: T.String(),
        address: T.String(),
        live: T.Optional(LivePosition),
      }),
    ),
    contacts: T.Optional(T.Array(T.Object({ name: T.String(), phones: T.Array(T.String()) }))),
    ad: T.Optional(Ad),
    businessOrigin: T.Optional(BusinessOrigin),
  },
  { description: 'The message in plain fields; field names are the same for every kind of message' },
)

export type NormalMessage = Static<typeof NormalMessage>
export type ContentKind = NormalMessage['type']
export type Ad = Static<typeof Ad>
export type MessagePerson = Static<typeof Person>

/** A receipt in plain fields. */
export const NormalReceipt = T.Object(
  {
    ids: T.Array(T.String(), { description: 'Message ids' }),
    status: T.Enum(['delivered', 'read', 'played'] as const),
    from: Person,
    chat: NormalMessage.properties.chat,
    isFromMe: T.Boolean({ description: 'By another device of this account' }),
    time: T.String({ format: 'date-time' }),
  },
  { description: 'The receipt in plain fields' },
)

export type NormalReceipt = Static<typeof NormalReceipt>
