import { createHash } from 'node:crypto'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, isJidNewsletter, proto } from '../baileys.ts'
import type { Received } from './received.ts'

/** What the stanza of an edited post says, and of one that is taken back; those of messages say 1 and 7. */
export const POST_EDIT = { changed: '3', revoked: '8' } as const

/**
 * A post of a newsletter comes as plain text: it passes by the Signal repository, where other messages are
 * kept, and stock rc14 acknowledges it before anyone could (Socket/messages-recv.js handleMessage). This says
 * what is to be kept and logged before Baileys sees it; undefined for every other stanza. Plain text of anybody
 * but a newsletter is none of ours: it would be a message that nobody encrypted.
 */
export function postOf(stanza: BinaryNode): { hash: string; received: Received } | undefined {
  const { from = '', id, edit = '' } = stanza.attrs
  const plain = getBinaryNodeChild(stanza, 'plaintext')?.content
  if (!isJidNewsletter(from) || !id || !(plain instanceof Uint8Array) || !isMessage(plain)) return undefined
  // Two posts may say the same, and so may two edits of one: it can be changed back.
  const edited = getBinaryNodeChild(stanza, 'meta')?.attrs['msg_edit_t'] ?? ''
  const hash = createHash('sha256')
    .update(`${from} ${id} ${edit} ${edited} `)
    .update(plain)
    .digest('base64url')
  const attrs = edited ? { ...stanza.attrs, msg_edit_t: edited } : stanza.attrs
  return { hash, received: { stanza: { ...stanza, attrs }, plain: Buffer.from(plain) } }
}

/**
 * A post that is taken back comes under its id with nothing in it (whatsapp-rust pull 725): this says it as the
 * message does that takes one back in a chat. Undefined for every other stanza.
 */
export function revokedPost({ attrs }: BinaryNode): proto.IMessage | undefined {
  const { from: remoteJid = '', id = '', edit } = attrs
  if (!isJidNewsletter(remoteJid) || edit !== POST_EDIT.revoked) return undefined
  const { REVOKE } = proto.Message.ProtocolMessage.Type
  return { protocolMessage: { type: REVOKE, key: { remoteJid, id, fromMe: false } } }
}

/** What can't be read is left to Baileys, which refuses it. */
function isMessage(plain: Uint8Array): boolean {
  try {
    proto.Message.decode(plain)
    return true
  } catch {
    return false
  }
}
