import type { BinaryNode } from '@whiskeysockets/baileys'
import { altOf, Jid } from 'wamux/messaging'
import type { Recording, Session } from 'wamux/plugin'

/** Online or offline; the last-seen time may be hidden (`deny`) or unknown. */
export async function ofPresence(
  session: Session | undefined,
  { attrs }: BinaryNode,
): Promise<Recording | undefined> {
  const from = Jid.bare(attrs['from'])
  if (!Jid.isPerson(from)) return undefined
  const isOffline = attrs['type'] === 'unavailable'
  const last = Number(attrs['last'])
  const event = {
    From: from,
    FromAlt: await altOf(session, from),
    Unavailable: isOffline,
    LastSeen: isOffline && last > 0 ? new Date(last * 1000).toISOString() : '',
  }
  const body = { event, state: isOffline ? 'offline' : 'online' }
  return { events: [{ type: 'Presence', chat: from, body }] }
}

/** Baileys reports `paused` as "available" and drops whether it is a recording (Socket/chats.js): read from the stanza. */
export async function ofChatState(
  session: Session | undefined,
  { attrs, content }: BinaryNode,
  time: string,
): Promise<Recording | undefined> {
  const [state] = Array.isArray(content) ? content : []
  const chat = Jid.bare(attrs['from'])
  if (!state || !chat) return undefined
  const sender = Jid.bare(attrs['participant']) || chat
  const event = {
    Chat: chat,
    Sender: sender,
    SenderAlt: await altOf(session, sender),
    IsFromMe: sender === session?.jid || sender === session?.lid,
    IsGroup: Jid.isGroup(chat),
    State: state.tag,
    Media: state.attrs['media'] ?? '',
  }
  return { events: [{ type: 'ChatPresence', chat, time, body: { event } }] }
}
