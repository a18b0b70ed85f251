import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Events } from 'wamux/plugin'
import {
  getBinaryNodeChild,
  getBinaryNodeChildren,
  isJidBroadcast,
  isJidGroup,
  isJidNewsletter,
  isJidStatusBroadcast,
} from '../baileys.ts'
import { iq, type Query } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { ReadMessage } from '../sdk.ts'

/** Most messages in one receipt (whatsapp-rust receipt.rs MAX_RECEIPT_IDS_PER_STANZA). */
const MAX_IDS = 256

export interface ReadReceiptParts {
  wa: Pick<WASocket, 'sendNode'>
  session: string
  query: Query
  events: Pick<Events, 'raise'>
}

/**
 * Replaces Baileys' readMessages, which reads the privacy settings once per link and throws a TypeError if that query times
 * out (Socket/chats.js fetchPrivacySettings).
 */
export function readReceiptsOf({ wa, session, query, events }: ReadReceiptParts) {
  async function privacy(): Promise<ReadonlyMap<string, string>> {
    const reply = await query(
      iq('privacy', 'get', { tag: 'privacy', attrs: {} }),
      'read the privacy settings',
    )
    const categories = getBinaryNodeChildren(getBinaryNodeChild(reply, 'privacy'), 'category')
    return new Map(categories.map(({ attrs: { name = '', value = '' } }) => [name, value]))
  }

  async function send(type: 'read' | 'played', messages: readonly ReadMessage[]): Promise<void> {
    const isHidden = (await privacy()).get('readreceipts') !== 'all'
    for (const receipt of receiptsFor(type, messages, isHidden))
      await wa.sendNode(receipt).catch((error: unknown) => {
        throw refusalOf(error, `mark as ${type}`)
      })
  }

  async function markRead(read: readonly ReadMessage[]): Promise<void> {
    await send('read', read)
    await events.raise(session, 'messages.read', { read })
  }

  async function markPlayed(played: readonly ReadMessage[]): Promise<void> {
    await send('played', played)
    await events.raise(session, 'messages.played', { played })
  }

  return { privacy, markRead, markPlayed }
}

type Named = Pick<ReadMessage, 'chat' | 'id' | 'participant'>

/**
 * One receipt for each author in a chat, and for each 256 messages of it, in their order. With read receipts off, the sender of a
 * direct message is not told; senders in groups and of statuses always are, and the network decides what they are shown (whatsapp-rust
 * receipt.rs build_read_receipt_node, build_played_receipt_node). Baileys has `read-self` for all chats, no time of `played`, and
 * any number of messages in a receipt.
 */
export function receiptsFor(
  type: 'read' | 'played',
  messages: readonly Named[],
  isHidden: boolean,
): BinaryNode[] {
  const byAuthor = new Map<string, Named[]>()
  for (const message of messages) {
    const key = `${message.chat} ${message.participant ?? ''}`
    byAuthor.set(key, [...(byAuthor.get(key) ?? []), message])
  }
  const t = String(Math.floor(Date.now() / 1000))
  return [...byAuthor.values()].flatMap((all) =>
    slicesOf(all).map(([first, ...others]) => {
      const { chat = '', id = '', participant } = first ?? {}
      const isDirect = !isJidGroup(chat) && !isJidBroadcast(chat)
      const isSilent = isJidNewsletter(chat) || (isHidden && isDirect)
      const attrs = {
        ...{ id, to: chat, type: isSilent ? `${type}-self` : type, t },
        ...(participant ? { participant } : {}),
        ...(isJidStatusBroadcast(chat) && type === 'read' ? { context: 'status' } : {}),
      }
      const items = others.map((message) => ({ tag: 'item', attrs: { id: message.id } }))
      const content = items.length > 0 ? [{ tag: 'list', attrs: {}, content: items }] : undefined
      return { tag: 'receipt', attrs, ...(content ? { content } : {}) }
    }),
  )
}

function slicesOf(messages: readonly Named[]): (readonly Named[])[] {
  const count = Math.ceil(messages.length / MAX_IDS)
  return Array.from({ length: count }, (_, at) => messages.slice(at * MAX_IDS, (at + 1) * MAX_IDS))
}
