import { createHash } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, isJidNewsletter, proto } from '../baileys.ts'
import type { Received } from './received.ts'

/** The stanza's `edit` attribute for an edited and a revoked post; messages use 1 and 7. */
export const POST_EDIT = { changed: '3', revoked: '8' } as const

/**
 * A newsletter post is plain text: it bypasses the Signal repository, which stores other messages, and unpatched Baileys
 * acknowledges it before it could be stored (Socket/messages-recv.js handleMessage). Returns the data to store and log
 * before Baileys sees it; undefined for every other stanza. Plain text from any other sender is not accepted: it would be
 * an unencrypted message.
 */
export function postOf(stanza: BinaryNode): { hash: string; received: Received } | undefined {
  const { from = '', id, edit = '' } = stanza.attrs
  const plain = getBinaryNodeChild(stanza, 'plaintext')?.content
  if (!isJidNewsletter(from) || !id || !(plain instanceof Uint8Array) || !isMessage(plain)) return undefined
  // Two posts may have the same content, and so may two edits of one post.
  const edited = getBinaryNodeChild(stanza, 'meta')?.attrs['msg_edit_t'] ?? ''
  const hash = createHash('sha256')
    .update(`${from} ${id} ${edit} ${edited} `)
    .update(plain)
    .digest('base64url')
  const attrs = edited ? { ...stanza.attrs, msg_edit_t: edited } : stanza.attrs
  return { hash, received: { stanza: { ...stanza, attrs }, plain: Buffer.from(plain) } }
}

/**
 * A revoked post has the id of the post and no content (whatsapp-rust pull 725). Returns the message that would revoke it
 * in a chat; undefined for every other stanza.
 */
export function revokedPost({ attrs }: BinaryNode): proto.IMessage | undefined {
  const { from: remoteJid = '', id = '', edit } = attrs
  if (!isJidNewsletter(remoteJid) || edit !== POST_EDIT.revoked) return undefined
  const { REVOKE } = proto.Message.ProtocolMessage.Type
  return { protocolMessage: { type: REVOKE, key: { remoteJid, id, fromMe: false } } }
}

/** Anything else is left to Baileys, which refuses it. */
function isMessage(plain: Uint8Array): boolean {
  try {
    proto.Message.decode(plain)
    return true
  } catch {
    return false
  }
}
