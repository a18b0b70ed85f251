import { deflateSync } from 'node:zlib'
import type { GatewayServices } from 'wamux/plugin'
import type { Account, Uplink } from '../../types.ts'
import { hasContent } from '../display/content.ts'
import type { Proto } from './compose.ts'
import { sealMedia } from './media.ts'
import type { Stored } from './store.ts'

type Wire = GatewayServices['wire']

/** What somebody who joins a group may get of its history (AB prop 18405, zapo spec/abprops). */
const MAX_MESSAGES = 100
const LENGTH_DELIMITED = 2

/** The newest messages of a group, with the time of the oldest of them. */
export interface SharedHistory {
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

function encodeInfo({ proto }: Wire, account: Account, message: Stored): Uint8Array {
  const { id, chat, from, fromMe, timestamp, attrs, raw } = message
  const key = { remoteJid: chat, fromMe, id, participant: fromMe ? account.lid : from }
  const pushName = fromMe ? account.name : attrs['notify']
  const info = { key, message: raw, messageTimestamp: timestamp, pushName }
  return proto.WebMessageInfo.encode(proto.WebMessageInfo.fromObject(info)).finish()
}

/** A field with bytes, of a protobuf message of which WAProto has no class. */
export function fieldOf(number: number, content: Uint8Array): Buffer {
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(content.length), content])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80)
  return Buffer.from([...bytes, rest])
}
