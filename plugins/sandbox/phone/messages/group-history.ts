import { deflateSync, inflateSync } from 'node:zlib'
import type { GatewayServices } from 'wamux/plugin'
import type { Account, Uplink } from '../../types.ts'
import { isOwn } from '../device/inbox.ts'
import { hasContent } from '../display/content.ts'
import type { Proto } from './compose.ts'
import { openMedia, sealMedia } from './media.ts'
import { fieldOf, fieldsOf } from './protobuf-fields.ts'
import type { Stored } from './store.ts'

type Wire = GatewayServices['wire']

/** What somebody who joins a group may get of its history (AB prop 18405, zapo spec/abprops). */
const MAX_MESSAGES = 100
const DAY_S = 24 * 3600
/** For how long a bundle is read, and how old its messages may be (AB props 25910, and twice 21313: zapo persistence/group-history.ts). */
const BUNDLE_DAYS = 14
const MESSAGE_DAYS = 28

/** The newest messages of a group, with the time of the oldest of them. */
interface SharedHistory {
  readonly bundle: Proto
  /** Tells the whole group. */
  readonly notice: Proto
}

/**
 * Uploads the newest messages of a group for members that have joined it: a `GroupHistory`, compressed with zlib and encrypted (WM
 * waGroupHistory.proto, zapo src/message/kinds/group-history.ts).
 */
export async function bundleOf(
  { wire, account, uplink }: { wire: Wire; account: Account; uplink: Uplink },
  stored: readonly Stored[],
  { receivers, count = MAX_MESSAGES }: { receivers: readonly string[]; count?: number },
): Promise<SharedHistory> {
  const shared = stored.filter(({ raw }) => hasContent(raw)).slice(-Math.min(count, MAX_MESSAGES))
  const encoded = shared.map((one) => fieldOf(1, encodeInfo(wire, account, one)))
  const { folder, data, fields } = sealMedia(wire, 'group-history', deflateSync(Buffer.concat(encoded)))
  const { directPath } = await uplink.upload(folder, data)
  const { fileLength: _length, ...keys } = fields
  const messageHistoryMetadata = {
    historyReceivers: receivers,
    oldestMessageTimestamp: shared[0]?.timestamp ?? 0,
    messageCount: shared.length,
  }
  const { Message } = wire.proto
  return {
    bundle: Message.fromObject({
      messageHistoryBundle: {
        mimetype: 'application/protobuf',
        ...keys,
        directPath,
        mediaKeyTimestamp: Math.floor(Date.now() / 1000),
        messageHistoryMetadata,
      },
    }),
    notice: Message.fromObject({ messageHistoryNotice: { messageHistoryMetadata } }),
  }
}

interface Reader {
  readonly wire: Wire
  readonly account: Account
  readonly uplink: Uplink
  /** Unix seconds. */
  now(): number
}

/** The messages of a bundle that names the account, oldest first; none of any other message. */
export async function messagesShared(
  { wire, account, uplink, now }: Reader,
  { chat, timestamp, raw }: Pick<Stored, 'chat' | 'timestamp' | 'raw'>,
): Promise<Omit<Stored, 'seq' | 'message'>[]> {
  const { messageHistoryMetadata, directPath, ...keys } = raw.messageHistoryBundle ?? {}
  const isNamed = messageHistoryMetadata?.historyReceivers?.some((jid) => isOwn(account, jid))
  if (!isNamed || !directPath || now() > timestamp + BUNDLE_DAYS * DAY_S) return []
  const sealed = await uplink.download(directPath)
  const history = inflateSync(openMedia(wire, 'group-history', sealed, keys))
  return fieldsOf(history).flatMap(({ number, content }) => {
    const { key, message, messageTimestamp, pushName } = wire.proto.WebMessageInfo.decode(content)
    const time = Number(messageTimestamp ?? 0)
    const from = key?.participant ?? ''
    if (number !== 1 || !key?.id || !message || !from) return []
    if (key.remoteJid !== chat || now() > time + MESSAGE_DAYS * DAY_S) return []
    const attrs: Record<string, string> = pushName ? { notify: pushName } : {}
    const shared = { id: key.id, chat, from, fromMe: isOwn(account, from), timestamp: time, attrs }
    return [{ ...shared, raw: message as Proto, isShared: true as const }]
  })
}

function encodeInfo({ proto }: Wire, account: Account, message: Stored): Uint8Array {
  const { id, chat, from, fromMe, timestamp, attrs, raw } = message
  const key = { remoteJid: chat, fromMe, id, participant: fromMe ? account.lid : from }
  const pushName = fromMe ? account.name : attrs['notify']
  const info = { key, message: raw, messageTimestamp: timestamp, pushName }
  return proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(info)).finish()
}
