import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import type { Events } from 'wamux/plugin'
import { getBinaryNodeChild, getBinaryNodeChildren } from '../baileys.ts'
import { iq, type Query } from '../protocol/query.ts'
import { refusalOf } from '../protocol/refusal.ts'
import type { ReadMessage } from '../sdk.ts'

export interface ReadReceiptParts {
  wa: Pick<WASocket, 'sendReceipts' | 'sendNode'>
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

  async function markRead(read: readonly ReadMessage[]): Promise<void> {
    const keys = read.map(({ chat, id, participant }) => ({
      remoteJid: chat,
      id,
      ...(participant ? { participant } : {}),
    }))
    const type = (await privacy()).get('readreceipts') === 'all' ? 'read' : 'read-self'
    await wa.sendReceipts(keys, type).catch((error: unknown) => {
      throw refusalOf(error, 'mark as read')
    })
    await events.raise(session, 'messages.read', { read })
  }

  async function markPlayed(played: readonly ReadMessage[]): Promise<void> {
    const isHidden = (await privacy()).get('readreceipts') !== 'all'
    for (const message of played) {
      await wa.sendNode(playedReceipt(message, isHidden)).catch((error: unknown) => {
        throw refusalOf(error, 'mark as played')
      })
    }
    await events.raise(session, 'messages.played', { played })
  }

  return { privacy, markRead, markPlayed }
}

/**
 * With read receipts off, the sender of a direct message is not told; those of groups always are (whatsapp-rust receipt.rs
 * build_played_receipt_node). Baileys gives receipts of this type no time.
 */
function playedReceipt({ chat, id, participant }: ReadMessage, isHidden: boolean): BinaryNode {
  const type = isHidden && !participant ? 'played-self' : 'played'
  const t = String(Math.floor(Date.now() / 1000))
  return { tag: 'receipt', attrs: { id, to: chat, type, t, ...(participant ? { participant } : {}) } }
}
