import type { WAMessage } from '@whiskeysockets/baileys'
import { systemViewer, type Viewer } from 'wamux/plugin'
import { jidNormalizedUser, type proto } from '../baileys.ts'
import { type Me, messagesOf } from '../protocol/signals.ts'
import type { MessageRef, Outcome } from '../sdk.ts'
import type { Inbox } from './inbox.ts'
import type { Outgoing } from './outgoing.ts'

/** The messages of a session within the retention time, received and sent. */
export interface StoredMessages {
  /** As the socket's `message`. */
  find(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined>
  /** As the socket's `outcome`. */
  outcome(id: string, viewer: Viewer): Promise<Outcome | undefined>
  /** A message that was sent to that chat, for a device of it that could not decrypt it. */
  sentTo(chat: string, id: string): Promise<proto.IMessage | undefined>
}

interface Parts {
  session: string
  inbox: Inbox
  outgoing: Outgoing
  me(): Me
  /** The other form of a person's JID, phone or LID; '' when unknown. */
  altOf(jid: string): Promise<string>
}

/**
 * An id alone names no message: other chats may have one with the same id, and know each other's. So every look-up is of a
 * chat, or of all that the viewer sees.
 */
export function createStoredMessages({ session, inbox, outgoing, me, altOf }: Parts): StoredMessages {
  async function formsOf(chat: string): Promise<string[]> {
    const jid = jidNormalizedUser(chat)
    return [jid, await altOf(jid)].filter(Boolean)
  }

  async function isOf(ref: MessageRef, viewer: Viewer, chat: string): Promise<boolean> {
    const jid = jidNormalizedUser(chat)
    if (ref.chat !== undefined && !(await formsOf(ref.chat)).includes(jid)) return false
    return viewer.seesChat(session, jid)
  }

  async function received(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined> {
    for (const entry of await inbox.byMessage(ref.id)) {
      const [signal] = messagesOf(entry, me())
      if (signal && (await isOf(ref, viewer, signal.message.key.remoteJid ?? ''))) return signal.message
    }
    return undefined
  }

  async function sent(ref: MessageRef, viewer: Viewer): Promise<WAMessage | undefined> {
    const row = await outgoing.find(ref.id)
    if (!row || !(await isOf(ref, viewer, row.chat))) return undefined
    const key = { remoteJid: row.chat, fromMe: true, id: ref.id }
    return { key, message: outgoing.messageOf(row) } as WAMessage
  }

  return {
    find: async (ref, viewer) => (await received(ref, viewer)) ?? (await sent(ref, viewer)),
    async outcome(id, viewer) {
      const found = await outgoing.outcome(id)
      return found && (await viewer.seesChat(session, found.chat)) ? found : undefined
    },
    sentTo: async (chat, id) => (await sent({ chat, id }, systemViewer(session)))?.message ?? undefined,
  }
}
