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
          'Id of the message that is edited, revoked, pinned, commented on, reacted to, answered or voted on',
      }),
    ),
    reaction: T.Optional(T.Object({ emoji: T.String({ description: 'Empty: the reaction was removed' }) })),
    poll: T.Optional(
      T.Object({
        question: T.String(),
        options: T.Array(T.String()),
        maxSelections: T.Integer({ description: '0: any number' }),
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
          guests: T.Integer({ description: 'Guests whom the sender brings along' }),
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
      }),
    ),
    contacts: T.Optional(T.Array(T.Object({ name: T.String(), phones: T.Array(T.String()) }))),
  },
  { description: 'The message in plain fields; field names are the same for every kind of message' },
)

export type NormalMessage = Static<typeof NormalMessage>
export type Kind = NormalMessage['type']
export type Person = Static<typeof Person>

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
