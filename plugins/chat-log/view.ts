import { type GatewayServices, type LogEvent, type Static, T } from 'wamux/plugin'
import type { LoggedMessage } from './entry.ts'

const Person = T.Object(
  { jid: T.String(), phone: T.String(), lid: T.String() },
  { additionalProperties: true, description: 'Phone and LID are empty when unknown' },
)

export const MessageView = T.Object(
  {
    Seq: T.Integer({ description: 'Position in the log' }),
    EventId: T.String(),
    Message: T.Object(
      {
        id: T.String(),
        type: T.String({ description: 'text, image, voice, document … as in the event Message' }),
        text: T.String({
          description:
            'Text, caption or question after the last edit; empty if there is none or it was deleted',
        }),
        from: Person,
        chat: Person,
        time: T.String({ format: 'date-time' }),
        isFromMe: T.Boolean(),
      },
      { additionalProperties: true, description: 'The field `message` of the event Message' },
    ),
    Edited: T.String({ description: 'Time of the last edit, RFC 3339; empty if never edited' }),
    Deleted: T.String({
      description: 'Time when it was deleted for everyone or with its chat; empty if it was not',
    }),
    Reactions: T.Array(T.Object({ Emoji: T.String(), From: Person, IsFromMe: T.Boolean() }), {
      description: 'The latest one of each person',
    }),
    MediaURL: T.Optional(
      T.String({ description: 'For a message with a file: a signed link to it, which expires' }),
    ),
  },
  { title: 'ChatMessage' },
)

export const ChatView = T.Object(
  {
    JID: T.String({ description: 'Can be used as Phone, and as `jid` in the path' }),
    Phone: T.String({ description: 'Digits; empty for a group, and when unknown' }),
    LID: T.String({ description: 'Empty for a group, and when unknown' }),
    Type: T.String({ description: 'person, group, newsletter or broadcast' }),
    Name: T.String({
      description: "The name saved by the account, or else the person's own, or the subject",
    }),
    Unread: T.Integer({
      description: 'Number of messages neither read nor answered, counted up to 1000',
    }),
    Timer: T.Integer({ description: 'Seconds after which new messages disappear; 0 for never' }),
    Last: T.Optional(MessageView),
  },
  { title: 'Chat' },
)

export type MessageView = Static<typeof MessageView>

/** A message with its later changes. */
export interface Shown {
  readonly line: LogEvent
  readonly message: LoggedMessage
  /** Times, RFC 3339; '' for never. */
  readonly edited: string
  readonly deleted: string
  readonly reactions: MessageView['Reactions']
}

type Attachments = GatewayServices['attachments'] | undefined

export function toView({ line, message, ...shown }: Shown, attachments: Attachments): MessageView {
  const { mediaUrl } = shown.deleted ? {} : ((attachments?.link(line) ?? {}) as { mediaUrl?: string })
  return {
    Seq: line.seq,
    EventId: line.id,
    Message: shown.deleted ? withoutContent(message) : message,
    Edited: shown.edited,
    Deleted: shown.deleted,
    Reactions: shown.reactions,
    ...(mediaUrl ? { MediaURL: mediaUrl } : {}),
  }
}

/** Author, chat and time of a deleted message. */
function withoutContent({ id, type, from, chat, to, time, isFromMe }: LoggedMessage): MessageView['Message'] {
  return { id, type, text: '', from, chat, ...(to ? { to } : {}), time, isFromMe }
}
