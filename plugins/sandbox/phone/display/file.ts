import { type GatewayServices, gatewayError } from 'wamux/plugin'
import type { StoringUplink } from '../device/storage.ts'
import type { Proto } from '../messages/compose.ts'
import { fileOf } from '../messages/fetch-media.ts'
import { openMedia } from '../messages/media.ts'
import { unwrap } from './content.ts'

export interface MessageFile {
  mimetype: string
  data: Buffer
}

/** The file of a message, from the phone's storage or the media host. Throws ITEM_UNKNOWN. */
export async function openFile(
  wire: GatewayServices['wire'],
  uplink: StoringUplink,
  message: Proto | undefined,
): Promise<MessageFile> {
  const file = message && fileOf(unwrap(message))
  if (!file) throw gatewayError('ITEM_UNKNOWN', ['File'])
  const { kind, part } = file
  const path = part.directPath ?? ''
  const stored = uplink.stored(path) ?? (await uplink.download(path).catch(() => undefined))
  if (!stored) throw gatewayError('ITEM_UNKNOWN', ['File'])
  const data = part.mediaKey?.length ? openMedia(wire, kind, stored, part) : stored
  return { mimetype: part.mimetype ?? '', data }
}
