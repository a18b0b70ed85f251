import { createHash } from 'node:crypto'
import type { proto } from '@whiskeysockets/baileys'
import { toFamilyCasing } from 'wamux/messaging'
import type { GatewayServices, GatewaySignals, NewEvent } from 'wamux/plugin'

type History = GatewaySignals['baileys.messaging-history.set']
type Fields = Record<string, unknown>

interface Conversation extends Fields {
  ID: string
  messages: Fields[]
}

/** Limits of one body: receivers refuse megabytes, and a phone sends thousands of chats and messages at once. */
const MAX_ENTRIES = 50
const MAX_BYTES = 512 * 1024

/** A part of the history as events of bounded size, in order: the chats with their messages, names, LIDs. */
export function ofHistory(wire: GatewayServices['wire'], history: History): NewEvent[] {
  const head = {
    syncType: Number(history.syncType ?? 0),
    progress: Number(history.progress ?? 0),
    chunkOrder: Number(history.chunkOrder ?? 0),
    // The answer to a request; without the request's id, the same answer to another one would be the same event.
    ...(history.peerDataRequestSessionId ? { requestID: history.peerDataRequestSessionId } : {}),
  }
  const pieces: Fields[] = [
    ...conversationPieces(conversationsOf(wire, history)).map((conversations) => ({ conversations })),
    ...pack(namesOf(history)).map((pushnames) => ({ pushnames })),
    ...pack(mappingsOf(history)).map((phoneNumberToLidMappings) => ({ phoneNumberToLidMappings })),
  ]
  if (pieces.length === 0) pieces.push({})
  return pieces.map((piece, i) => toEvent({ ...head, ...piece }, i, pieces.length))
}

function toEvent(fields: Fields, piece: number, pieces: number): NewEvent {
  const empty = { conversations: [], pushnames: [], phoneNumberToLidMappings: [] }
  const event = { Data: { ...empty, ...fields, piece, pieces } }
  // A part has no other identity: the same content read again after a restart is the same event.
  const key = createHash('sha256').update(JSON.stringify(event)).digest('hex')
  return { type: 'HistorySync', key, body: { event } }
}

function conversationsOf(wire: GatewayServices['wire'], history: History): Conversation[] {
  const messages = new Map<string, Fields[]>()
  for (const message of history.messages) {
    const chat = message.key.remoteJid ?? ''
    const info = toFamilyCasing(wire.proto.WebMessageInfo.fromObject(message as proto.IWebMessageInfo))
    messages.set(chat, [...(messages.get(chat) ?? []), { message: info }])
  }
  const known = new Map(history.chats.map((chat) => [chat.id ?? '', chat]))
  return [...new Set([...known.keys(), ...messages.keys()])].map((id) => {
    const chat = known.get(id)
    return {
      ID: id,
      ...(chat?.name ? { name: chat.name } : {}),
      ...(chat?.username ? { username: chat.username } : {}),
      ...(chat?.pnJid ? { pnJID: chat.pnJid } : {}),
      ...(chat?.lidJid ? { lidJID: chat.lidJid } : {}),
      unreadCount: chat?.unreadCount ?? 0,
      messages: messages.get(id) ?? [],
    }
  })
}

/** Divides conversations into pieces; a long one continues in the next piece under the same ID. */
function conversationPieces(conversations: readonly Conversation[]): Conversation[][] {
  const lines = conversations.flatMap(({ messages, ...head }) => [
    { head, message: undefined },
    ...messages.map((message) => ({ head, message })),
  ])
  return pack(lines).map((piece) => {
    const found = new Map<object, Conversation>()
    for (const { head, message } of piece) {
      const conversation = found.get(head) ?? ({ ...head, messages: [] } as unknown as Conversation)
      found.set(head, conversation)
      if (message) conversation.messages.push(message)
    }
    return [...found.values()]
  })
}

function namesOf({ contacts }: History): Fields[] {
  return contacts.flatMap(({ id, notify }) => (notify ? [{ ID: id, pushname: notify }] : []))
}

function mappingsOf({ lidPnMappings = [] }: History): Fields[] {
  return lidPnMappings.map(({ lid, pn }) => ({ lidJID: lid, pnJID: pn }))
}

/** Fills one piece after the other up to the limits; an entry that exceeds them gets its own piece. */
function pack<T>(entries: readonly T[]): T[][] {
  const pieces: T[][] = []
  let bytes = 0
  for (const entry of entries) {
    const size = Buffer.byteLength(JSON.stringify(entry))
    const piece = pieces.at(-1)
    if (piece && piece.length < MAX_ENTRIES && bytes + size <= MAX_BYTES) {
      piece.push(entry)
      bytes += size
    } else {
      pieces.push([entry])
      bytes = size
    }
  }
  return pieces
}
