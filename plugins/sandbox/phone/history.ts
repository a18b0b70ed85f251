import { deflateSync } from 'node:zlib'
import type { GatewayServices } from 'wamux/plugin'
import { parseJid } from '../stanza.ts'
import type { Account, Uplink } from '../types.ts'
import { sealMedia } from './media.ts'
import type { Stored } from './messages.ts'

type Wire = GatewayServices['wire']

/** Peer messages that bring a new companion up to date: the chats inline, recent messages as a file. */
export async function historyMessages(
  wire: Wire,
  account: Account,
  stored: readonly Stored[],
  uplink: Uplink,
): Promise<Record<string, unknown>[]> {
  const { HistorySyncType } = wire.proto.HistorySync
  const { HISTORY_SYNC_NOTIFICATION } = wire.proto.Message.ProtocolMessage.Type
  const encode = (syncType: number, fields: Record<string, unknown>): Buffer =>
    deflateSync(
      wire.proto.HistorySync.encode(
        wire.proto.HistorySync.fromObject({ syncType, chunkOrder: 0, progress: 100, ...fields }),
      ).finish(),
    )
  const notify = (fields: Record<string, unknown>): Record<string, unknown> => ({
    protocolMessage: {
      type: HISTORY_SYNC_NOTIFICATION,
      historySyncNotification: { chunkOrder: 0, progress: 100, ...fields },
    },
  })

  const chats = chatsOf(account, stored)
  const overview = encode(HistorySyncType.INITIAL_BOOTSTRAP, {
    conversations: chats.map(({ id, name }) => ({ id, name })),
    pushnames: [{ id: account.jid, pushname: account.name }],
    phoneNumberToLidMappings: [{ pnJid: account.jid, lidJid: account.lid }],
  })
  const messages = [
    notify({ syncType: HistorySyncType.INITIAL_BOOTSTRAP, initialHistBootstrapInlinePayload: overview }),
  ]
  if (stored.length === 0) return messages

  const recent = encode(HistorySyncType.RECENT, { conversations: chats })
  const { folder, data, fields } = sealMedia(wire, 'history', recent)
  const { directPath } = await uplink.upload(folder, data)
  messages.push(notify({ syncType: HistorySyncType.RECENT, directPath, ...fields }))
  return messages
}

function chatsOf(
  account: Account,
  stored: readonly Stored[],
): { id: string; name: string; messages: unknown[] }[] {
  const chats = new Map<string, unknown[]>()
  for (const { chat, id, from, fromMe, timestamp, raw } of stored) {
    const isGroup = parseJid(chat)?.server === 'g.us'
    const key = {
      remoteJid: chat,
      fromMe,
      id,
      ...(isGroup ? { participant: fromMe ? account.lid : from } : {}),
    }
    const messages = chats.get(chat) ?? []
    messages.push({
      message: { key, message: raw, messageTimestamp: timestamp },
      msgOrderId: messages.length + 1,
    })
    chats.set(chat, messages)
  }
  return [...chats].map(([id, messages]) => ({ id, name: id.split('@')[0] ?? '', messages }))
}
