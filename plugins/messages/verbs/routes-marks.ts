import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { Done, Phone, Recipient, Sent } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import type { Asking } from '../message-key.ts'
import { flagsOf } from '../translate/info.ts'
import { Author, namedKeyOf, requestOf, Target } from './target.ts'

/** How long a message can stay pinned, as WhatsApp offers it, in seconds. */
const PIN_DURATIONS = { '24h': 86_400, '7d': 604_800, '30d': 2_592_000 } as const

type PinDuration = keyof typeof PIN_DURATIONS

const [PIN_FOR_ALL, UNPIN_FOR_ALL] = [1, 2]
const [KEEP_FOR_ALL, UNDO_KEEP_FOR_ALL] = [1, 2]

/** Pins a message for all in the chat; without a duration it is unpinned. Apps drop a pin that has no duration. */
function pinOf(key: WAMessageKey, duration: PinDuration | undefined, now: number): proto.IMessage {
  const type = duration ? PIN_FOR_ALL : UNPIN_FOR_ALL
  const messageAddOnDurationInSecs = duration ? PIN_DURATIONS[duration] : 0
  return {
    pinInChatMessage: { key, type, senderTimestampMs: now },
    messageContextInfo: { messageAddOnDurationInSecs },
  }
}

/** Keeps a message from disappearing for all in the chat, or lets it disappear after all. */
function keepOf({ key, message }: WAMessage, isKept: boolean, now: number): proto.IMessage {
  if (!isDisappearing(message ?? {})) throw gatewayError('FIELD_INVALID', ['Id', 'does not disappear'])
  return {
    keepInChatMessage: {
      key,
      keepType: isKept ? KEEP_FOR_ALL : UNDO_KEEP_FOR_ALL,
      timestampMs: now,
    },
  }
}

function isDisappearing(message: proto.IMessage): boolean {
  const { inner } = flagsOf(message)
  return Object.values(inner).some(
    (part) => ((part as { contextInfo?: proto.IContextInfo } | null)?.contextInfo?.expiration ?? 0) > 0,
  )
}

type Targets = GatewayServices['targets']
type Deps = Kernel<unknown> & Pick<GatewayServices, 'sender' | 'targets'>

const DURATIONS = ['24h', '7d', '30d'] as const satisfies readonly PinDuration[]

/** Messages that are not stored here are named by their author. */
const named = {
  Phone: Recipient,
  Id: Target,
  Participant: Author('In a group: author of the message, if it is not stored here'),
  IsFromMe: T.Optional(
    T.Boolean({ description: 'Whether the message is your own; needed only if it is not stored here' }),
  ),
}

interface Named {
  Phone: string
  Id: string
  Participant?: string
  IsFromMe?: boolean
}

const UNSTORED = 'A message that is not stored here needs `IsFromMe`, in a group also `Participant`.'
const example = { Phone: '5511999999999', Id: '3A1B2C3D4E5F60718293' }

/** Marks on messages: stars on the devices of the account, pins and kept messages for the whole chat. */
export const markRoutes = <D extends Deps>(r: RouteBuilder<D>) => {
  const star = (path: string, isStarred: boolean, summary: string, Details: string) =>
    r.post(path, {
      leaves: [],
      isIdempotent: true,
      summary,
      description: `On all devices of the account; nobody else sees it. ${UNSTORED}`,
      example,
      body: T.Object({ ...named, Phone }),
      errors: ['MESSAGE_UNKNOWN'],
      response: Done,
      async handle({ body, session, viewer }, { targets }) {
        const { key, chat } = await targetOf(targets, { session, viewer }, body)
        const message = { id: body.Id, fromMe: key.fromMe === true, participant: key.participant }
        await session.socket.modify({ star: { messages: [message], star: isStarred } }, chat)
        return { Details }
      },
    })

  return [
    star('/message/star', true, 'Star a message', 'Message starred'),
    star('/message/unstar', false, 'Remove the star of a message', 'Message unstarred'),
    r.post('/message/pin', {
      summary: 'Pin a message in its chat, for everyone',
      description: `For \`Duration\`; the apps show up to three pinned messages of a chat. In a group whose settings only admins may change, only they can pin. ${UNSTORED} The answer has the id of the message that pins it.`,
      example: { ...example, Duration: '7d' },
      body: T.Object({
        ...named,
        Duration: T.Optional(
          T.Enum(DURATIONS, { description: 'How long it stays pinned; 7d when absent, as in the apps' }),
        ),
      }),
      errors: ['MESSAGE_UNKNOWN'],
      response: Sent,
      async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
        const { key, chat } = await targetOf(targets, { session, viewer }, body)
        const request = { session, viewer, header, traceparent, body: requestOf(body) }
        const content = () => ({ proto: pinOf(key, body.Duration ?? '7d', Date.now()) })
        return sender.send('/message/pin', request, content, { chat })
      },
    }),
    r.post('/message/unpin', {
      summary: 'Unpin a message, for everyone',
      description: `${UNSTORED} The answer has the id of the message that unpins it.`,
      example,
      body: T.Object(named),
      errors: ['MESSAGE_UNKNOWN'],
      response: Sent,
      async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
        const { key, chat } = await targetOf(targets, { session, viewer }, body)
        const request = { session, viewer, header, traceparent, body: requestOf(body) }
        const content = () => ({ proto: pinOf(key, undefined, Date.now()) })
        return sender.send('/message/unpin', request, content, { chat })
      },
    }),
    r.post('/message/keep', {
      summary: 'Keep a disappearing message, or let it disappear again',
      description:
        'For everyone in the chat, as long as its author does not undo it. Only a message of the last 14 days that disappears. The answer has the id of the message that keeps it.',
      example: { Phone: '5511999999999', Id: '3A1B2C3D4E5F6071829A' },
      body: T.Object({
        Phone: Recipient,
        Id: Target,
        Keep: T.Optional(T.Boolean({ description: 'false undoes it; true when absent' })),
      }),
      errors: ['MESSAGE_UNKNOWN'],
      response: Sent,
      async handle({ body, session, viewer, header, traceparent }, { sender, targets }) {
        const chat = await chatWithPeople(targets, { session, viewer }, body.Phone)
        const request = { session, viewer, header, traceparent, body: requestOf(body) }
        const content = async (): Promise<{ proto: proto.IMessage }> => {
          const message = await session.socket.message({ chat, id: body.Id }, viewer)
          if (!message) throw gatewayError('MESSAGE_UNKNOWN')
          return { proto: keepOf(message, body.Keep ?? true, Date.now()) }
        }
        return sender.send('/message/keep', request, content, { chat })
      },
    }),
  ]
}

async function targetOf(
  targets: Targets,
  asking: Asking,
  { Phone: phone, Id: id, Participant, IsFromMe: isFromMe }: Named,
): Promise<{ key: WAMessageKey; chat: string }> {
  const chat = await chatWithPeople(targets, asking, phone)
  const author = Participant && (await targets.resolveUser(asking.session, Participant, 'Participant'))
  return { key: await namedKeyOf(asking, { chat, id, author, isFromMe }), chat }
}

async function chatWithPeople(targets: Targets, { session }: Asking, phone: string): Promise<string> {
  const chat = await targets.resolveChat(session, phone)
  if (!/@(s\.whatsapp\.net|lid|g\.us)$/.test(chat))
    throw gatewayError('FIELD_INVALID', ['Phone', 'only chats with people and groups have this'])
  return chat
}
