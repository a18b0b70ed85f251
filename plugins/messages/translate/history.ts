import { createHash } from 'node:crypto'
import type { proto, WAMessage } from '@whiskeysockets/baileys'
import { toFamilyCasing } from 'wamux/messaging'
import type { GatewayServices, GatewaySignals, NewEvent } from 'wamux/plugin'
import type { NormalMessage } from '../normal-message.ts'
import { flagsOf, infoOf } from './info.ts'
import type { TranslateParts } from './message.ts'
import { normalize } from './normalize.ts'

type History = GatewaySignals['baileys.messaging-history.set']
type Fields = Record<string, unknown>

interface Conversation extends Fields {
  ID: string
  messages: Fields[]
}

/** Messages in plain fields, by the fields that an event has of them. */
type Normals = ReadonlyMap<Fields, NormalMessage>

/** Limits of one body: receivers refuse megabytes, and a phone sends thousands of chats and messages at once. */
const MAX_ENTRIES = 50
const MAX_BYTES = 512 * 1024

/**
 * A part of the history as events of bounded size, in order: the chats with their messages, names, LIDs. Messages of a group that a
 * member has shared are there in plain fields, too.
 */
export async function ofHistory(
  { wire, session }: Pick<TranslateParts, 'wire' | 'session'>,
  history: History,
): Promise<NewEvent[]> {
  const head = {
    syncType: Number(history.syncType ?? 0),
    progress: Number(history.progress ?? 0),
    chunkOrder: Number(history.chunkOrder ?? 0),
    // The answer to a request; without the request's id, the same answer to another one would be the same event.
    ...(history.peerDataRequestSessionId ? { requestID: history.peerDataRequestSessionId } : {}),
  }
  const fields = new Map<Fields, WAMessage>()
  const conversations = conversationsOf(wire, history, fields)
  const normals = history.sharedGroup ? await normalsOf({ wire, session }, fields) : new Map()
  const pieces: Fields[] = [
    ...conversationPieces(conversations, normals).map((some) => ({ conversations: some })),
    ...pack(namesOf(history)).map((pushnames) => ({ pushnames })),
    ...pack(mappingsOf(history)).map((phoneNumberToLidMappings) => ({ phoneNumberToLidMappings })),
  ]
  if (pieces.length === 0) pieces.push({})
  return pieces.map((piece, i) => toEvent({ ...head, ...piece }, i, pieces.length, normals))
}

async function normalsOf(
  { wire, session }: Pick<TranslateParts, 'wire' | 'session'>,
  all: ReadonlyMap<Fields, WAMessage>,
): Promise<Normals> {
  const normals = new Map<Fields, NormalMessage>()
  for (const [fields, message] of all) {
    const { inner, flags } = flagsOf(wire.proto.Message.fromObject(message.message ?? {}))
    const info = infoOf(message, inner, {}, session.jid)
    normals.set(fields, await normalize({ session, info, inner, flags }))
  }
  return normals
}

function toEvent(fields: Fields, piece: number, pieces: number, normals: Normals): NewEvent {
  const empty = { conversations: [], pushnames: [], phoneNumberToLidMappings: [] }
  const event = { Data: { ...empty, ...fields, piece, pieces } }
  // A part has no other identity: the same content read again after a restart is the same event.
  const key = createHash('sha256').update(JSON.stringify(event)).digest('hex')
  const conversations = (fields['conversations'] ?? []) as Conversation[]
  const messages = conversations.flatMap((one) => one.messages.flatMap((part) => normals.get(part) ?? []))
  return { type: 'HistorySync', key, body: { event, ...(messages.length > 0 ? { messages } : {}) } }
}

/** @param fields gets each message by its fields. */
function conversationsOf(
  wire: GatewayServices['wire'],
  history: History,
  fields: Map<Fields, WAMessage>,
): Conversation[] {
  const messages = new Map<string, Fields[]>()
  for (const message of history.messages) {
    const chat = message.key.remoteJid ?? ''
    const info = toFamilyCasing(wire.proto.WebMessageInfo.fromObject(message as proto.IWebMessageInfo))
    const one = { message: info }
    fields.set(one, message)
    const some = messages.get(chat)
    if (some) some.push(one)
    else messages.set(chat, [one])
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
function conversationPieces(conversations: readonly Conversation[], normals: Normals): Conversation[][] {
  const lines = conversations.flatMap(({ messages, ...head }) => [
    { head, message: undefined, normal: undefined },
    ...messages.map((message) => ({ head, message, normal: normals.get(message) })),
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
