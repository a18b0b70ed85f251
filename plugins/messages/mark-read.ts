import { Jid } from 'wamux/messaging'
import { type GatewayError, type GatewaySignals, gatewayError } from 'wamux/plugin'
import type { Asking } from './message-key.ts'
import type { Reached } from './state/states.ts'
import { flagsOf } from './translate/info.ts'

type ReadSignal = GatewaySignals['messages.read']

interface Reading {
  readonly read: ReadSignal['read']
  readonly skipped: readonly Skipped[]
}

interface Skipped {
  Id: string
  Reason: string
}

const OWN = 'a message of your own'
const UNKNOWN = 'not stored here; name its Sender'

export interface Marked {
  /** JID of the chat; absent to allow any chat that the caller sees. */
  readonly chat?: string
  readonly ids: readonly string[]
  /** Author of the messages, if named by the caller; used for messages not stored here. */
  readonly author?: string | undefined
}

/**
 * Sends read receipts for those messages of a list that can be marked. Rejects MESSAGE_UNKNOWN, FIELD_INVALID and
 * FIELD_MISSING if none can.
 */
export type MarkRead = (asking: Asking, marked: Marked) => Promise<Reading>

export function createMarkRead(): MarkRead {
  return async (asking, { chat, ids, author }) => {
    const { socket } = asking.session
    const read: ReadSignal['read'][number][] = []
    const skipped: Skipped[] = []
    for (const id of ids) {
      const stored = (await socket.message({ chat, id }, asking.viewer))?.key
      const participant = author ?? stored?.participant ?? undefined
      // The receipt uses the address of the message: phone number or LID.
      const jid = stored?.remoteJid ?? chat
      if (stored?.fromMe) skipped.push({ Id: id, Reason: OWN })
      else if (!jid || (!stored && !author)) skipped.push({ Id: id, Reason: UNKNOWN })
      else {
        const isStored = stored !== undefined
        read.push({ chat: jid, id, isStored, ...(hasAuthors(jid) ? { participant } : {}) })
      }
    }
    if (read.length === 0) throw nothingToRead(chat, skipped)
    await socket.markRead(read)
    return { read, skipped }
  }
}

/**
 * Marks voice and video notes as played. All are checked first: rejects MESSAGE_UNKNOWN for one that is not stored here, and
 * FIELD_INVALID for an own one or another kind of message.
 */
export async function markPlayed(
  { session: { socket }, viewer }: Asking,
  chat: string,
  ids: readonly string[],
): Promise<void> {
  const played: ReadSignal['read'][number][] = []
  for (const id of ids) {
    const { key, message } = (await socket.message({ chat, id }, viewer)) ?? {}
    if (!key) throw gatewayError('MESSAGE_UNKNOWN')
    if (key.fromMe) throw gatewayError('FIELD_INVALID', ['Id', `${id} is ${OWN}`])
    const { audioMessage, ptvMessage } = flagsOf(message ?? {}).inner
    if (!audioMessage?.ptt && !ptvMessage)
      throw gatewayError('FIELD_INVALID', ['Id', `${id} is neither a voice nor a video note`])
    const jid = key.remoteJid ?? chat
    const participant = hasAuthors(jid) ? (key.participant ?? undefined) : undefined
    played.push({ chat: jid, id, isStored: true, participant })
  }
  await socket.markPlayed(played)
}

/** Several people write to a group, and to the status chat. */
function hasAuthors(chat: string): boolean {
  return Jid.isGroup(chat) || chat === Jid.status
}

/** The states reached by playing. */
export function reachedByPlaying({ played }: GatewaySignals['messages.played'], time: string): Reached[] {
  return played.map(({ id: message, chat }) => ({ message, fromMe: false, state: 'Played', chat, time }))
}

/** The states reached. An id has one state: that of the known message with this id. */
export function reachedByReading({ read }: ReadSignal, time: string): Reached[] {
  return read
    .filter(({ isStored }) => isStored)
    .map(({ id: message, chat }) => ({ message, fromMe: false, state: 'Read', chat, time }))
}

function nothingToRead(chat: string | undefined, skipped: readonly Skipped[]): GatewayError {
  if (skipped.every(({ Reason }) => Reason === OWN))
    return gatewayError('FIELD_INVALID', ['Id', `${skipped[0]?.Id} is ${OWN}`])
  if (chat && hasAuthors(chat)) return gatewayError('FIELD_MISSING', ['Sender'])
  return gatewayError('MESSAGE_UNKNOWN', [], { details: UNKNOWN })
}
