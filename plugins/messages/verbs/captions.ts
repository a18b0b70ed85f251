import type { proto, WAMessage, WAMessageKey } from '@whiskeysockets/baileys'
import { gatewayError } from 'wamux/plugin'
import { flagsOf } from '../translate/info.ts'

const CAPTIONED = ['imageMessage', 'videoMessage', 'documentMessage'] as const
const UNTEXTUAL = ['audioMessage', 'stickerMessage', 'ptvMessage'] as const
const MESSAGE_EDIT = 14

/** The edit of a file's caption, which repeats the file; undefined for a text. Rejects FIELD_INVALID for a file without a caption. */
export function captionEditOf(
  message: WAMessage | undefined,
  key: WAMessageKey,
  caption: string,
): { proto: proto.IMessage } | undefined {
  const { inner, flags } = flagsOf(message?.message ?? {})
  if (UNTEXTUAL.some((one) => inner[one]))
    throw gatewayError('FIELD_INVALID', ['Id', 'has no text or caption'])
  const kind = CAPTIONED.find((one) => inner[one])
  if (!kind) return undefined
  if (flags.IsViewOnce) throw gatewayError('FIELD_INVALID', ['Id', 'can be viewed only once'])
  const editedMessage = { [kind]: { ...inner[kind], caption } }
  return { proto: { protocolMessage: { key, type: MESSAGE_EDIT, editedMessage, timestampMs: Date.now() } } }
}
