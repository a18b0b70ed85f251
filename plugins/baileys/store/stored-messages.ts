import type { WAMessage } from '@whiskeysockets/baileys'
import { systemViewer, type Viewer } from 'wamux/plugin'
import { jidNormalizedUser, type proto } from '../baileys.ts'
import type { Received } from '../protocol/received.ts'
import { type Me, messagesOf } from '../protocol/signals.ts'
import type { MessageRef, MessageSignal, Outcome } from '../sdk.ts'
import type { Inbox } from './inbox.ts'
import type { Outgoing } from './outgoing.ts'
import type { UnstoredOutcomes } from './unstored-outcomes.ts'

/** The messages of a session, received and sent, within the retention time. */
export interface StoredMessages {
  /** See the socket's `message`. */
  find(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined>
  /** See the socket's `outcome`. */
  outcome(id: string, viewer: Viewer): Promise<Outcome | undefined>
  /** A message sent to that chat, for one of its devices that could not decrypt it. */
  sentTo(chat: string, id: string): Promise<proto.IMessage | undefined>
}

interface Parts {
  session: string
  inbox: Inbox
  outgoing: Outgoing
  unstored: UnstoredOutcomes
  me(): Me
  /** The other form of a person's JID, phone or LID; '' if unknown. */
  altOf(jid: string): Promise<string>
}

/**
 * An id alone does not identify a message: another chat may have one with the same id, and one chat may know the ids of
 * another. Every look-up is therefore for one chat, or for all chats that the viewer sees.
 */
export function createStoredMessages({
  session,
  inbox,
  outgoing,
  unstored,
  me,
  altOf,
}: Parts): StoredMessages {
  async function formsOf(chat: string): Promise<string[]> {
    const jid = jidNormalizedUser(chat)
    return [jid, await altOf(jid)].filter(Boolean)
  }

  /** Anybody may have sent an unreadable message under the id of another one. */
  function readableIn(entry: Received): MessageSignal[] {
    try {
      return messagesOf(entry, me())
    } catch {
      return []
    }
  }

  async function isOf(ref: MessageRef, viewer: Viewer, chat: string): Promise<boolean> {
    const jid = jidNormalizedUser(chat)
    if (ref.chat !== undefined && !(await formsOf(ref.chat)).includes(jid)) return false
    return viewer.seesChat(session, jid)
  }

  async function received(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined> {
    for (const entry of await inbox.byMessage(ref.id)) {
      const [signal] = readableIn(entry)
      if (signal && (await isOf(ref, viewer, signal.message.key.remoteJid ?? ''))) return signal.message
    }
    return undefined
  }

  async function sent(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined> {
    const row = await outgoing.find(ref.id)
    if (!row || !(await isOf(ref, viewer, row.chat))) return undefined
    const key = { remoteJid: row.chat, fromMe: true, id: ref.id }
    const messageTimestamp = Math.floor((Date.parse(row.timestamp) || row.created) / 1000)
    return { key, message: outgoing.messageOf(row), messageTimestamp } as WAMessage
  }

  return {
    find: async (ref, viewer) => (await received(ref, viewer)) ?? (await sent(ref, viewer)),
    async outcome(id, viewer) {
      await unstored.settled(session, id)
      const found = await outgoing.outcome(id)
      return found && (await viewer.seesChat(session, found.chat)) ? found : undefined
    },
    sentTo: async (chat, id) => (await sent({ chat, id }, systemViewer(session)))?.message ?? undefined,
  }
}
