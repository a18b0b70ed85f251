import type { proto } from '@whiskeysockets/baileys'
import { Jid, phoneOf } from 'wamux/messaging'
import {
  type EventDeclaration,
  type GatewaySignals,
  type Recording,
  type Sessions,
  type Signal,
  T,
} from 'wamux/plugin'
import type { Posts } from './posts.ts'
import { STATUS } from './received.ts'

declare module 'wamux/plugin' {
  interface GatewayEvents {
    UserStatusMute: {
      event: {
        JID: string
        JIDAlt: string
        Timestamp: string
        Action: { muted: boolean }
        FromFullSync: false
      }
    }
  }
}

export const events = {
  UserStatusMute: {
    class: 'All',
    summary: "A contact's status posts were muted or unmuted, by any device of the account",
    schema: T.Object({
      JID: T.String({ description: 'The contact; can be used as Phone' }),
      JIDAlt: T.String({ description: 'The phone JID of a LID; empty when unknown' }),
      Timestamp: T.String({ format: 'date-time' }),
      Action: T.Object({ muted: T.Boolean() }),
      FromFullSync: T.Boolean(),
    }),
  },
} satisfies Record<string, EventDeclaration>

type Deps = { posts: Posts }

/** An own post, by this session or by another device of the account, or the deletion of one. */
export function ofOwn(
  {
    session,
    data,
  }: {
    session: string
    data: Pick<GatewaySignals['message'], 'message' | 'right'> & { audience?: readonly string[] | undefined }
  },
  { posts }: Deps,
): Recording | undefined {
  const { message: whole, audience, right } = data
  const { key, message, messageTimestamp } = whole
  if (key.remoteJid !== STATUS || !key.fromMe || !key.id || !message || right === 'none') return undefined
  const revoked = message.protocolMessage?.key?.id
  if (revoked) return { writes: [posts.remove(session, revoked)] }
  const shown = shownIn(message)
  if (!shown) return undefined
  const posted = Number(messageTimestamp ?? 0) * 1000
  const post = { id: key.id, ...shown, posted, ...(audience ? { audience: [...audience] } : {}) }
  return { writes: [posts.add(session, post)] }
}

/** Reactions and the like are no posts. */
function shownIn(message: proto.IMessage): { type: string; text: string } | undefined {
  const { conversation, extendedTextMessage, imageMessage, videoMessage, audioMessage } = message
  if (imageMessage) return { type: 'image', text: imageMessage.caption ?? '' }
  if (videoMessage) return { type: 'video', text: videoMessage.caption ?? '' }
  if (audioMessage) return { type: 'audio', text: '' }
  const text = extendedTextMessage?.text ?? conversation
  return text ? { type: 'text', text } : undefined
}

const SEEN: readonly string[] = ['read', 'played', 'read-self', 'played-self']

/** Somebody has seen own posts, or another device of the account has seen those of others. */
export function ofReceipt(
  { session, data }: { session: string; data: GatewaySignals['receipt'] },
  { posts }: Deps,
): Recording | undefined {
  const { chat, ids, type, fromMe, sender, senderAlt, time } = data
  if (chat !== STATUS || !SEEN.includes(type)) return undefined
  if (fromMe) return { writes: [posts.seenBySelf(session, ids, time)] }
  const [jid, alt] = byLid(Jid.bare(sender), Jid.bare(senderAlt))
  return { writes: ids.map((id) => posts.seen(session, id, { jid, alt, time })) }
}

/** The LID first, where it is known: receipts of one person may name either form. */
function byLid(jid: string, alt: string): [jid: string, alt: string] {
  return Jid.isLid(alt) ? [alt, jid] : [jid, alt]
}

/** Posts of others that this session has marked as read. */
export function ofRead(
  { session, data, time }: { session: string; data: GatewaySignals['messages.read']; time: string },
  { posts }: Deps,
): Recording | undefined {
  const ids = data.read.filter(({ chat }) => chat === STATUS).map(({ id }) => id)
  return ids.length > 0 ? { writes: [posts.seenBySelf(session, ids, time)] } : undefined
}

export async function ofMute(
  { session, data }: Signal<'setting'>,
  { sessions }: { sessions: Sessions },
): Promise<Recording | undefined> {
  const { index, version, time, action, isOld } = data
  const [name, JID = ''] = index
  const { muted } = action.userStatusMuteAction ?? {}
  if (isOld || name !== 'userStatusMute' || typeof muted !== 'boolean') return undefined
  const JIDAlt = await phoneOf(await sessions.byId(session), JID)
  const event = { JID, JIDAlt, Timestamp: time, Action: { muted }, FromFullSync: false as const }
  const key = `${version} ${time} ${JID}`
  return { events: [{ type: 'UserStatusMute', key, chat: JID, time, body: { event } }] }
}
