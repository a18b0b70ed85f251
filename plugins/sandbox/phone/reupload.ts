import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import { bytes, child, el } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import { fileOf } from './fetch-media.ts'
import { folderOf } from './media.ts'
import type { Stored } from './messages.ts'
import type { StoringUplink } from './storage.ts'

type Wire = GatewayServices['wire']

const TAG_BYTES = 16

/** A companion found a file gone from the media host: uploads it again, or says why not. */
export async function answerRetry(
  wire: Wire,
  uplink: StoringUplink,
  messages: readonly Stored[],
  { attrs, content = [] }: Stanza,
): Promise<void> {
  const { MediaRetryNotification } = wire.proto
  const { SUCCESS, NOT_FOUND, GENERAL_ERROR, DECRYPTION_ERROR } = MediaRetryNotification.ResultType
  const { id = '', from: to } = attrs
  const receipt = { tag: 'receipt', attrs, content }
  const meant = child(receipt, 'rmr')?.attrs ?? {}
  const answer = (what: Stanza): void =>
    uplink.send(el('notification', { to, id, type: 'mediaretry' }, [what, el('rmr', meant)]))

  const found = messages.find((one) => one.id === id && String(one.fromMe) === meant['from_me'])
  const { kind, part } = (found && fileOf(found.raw)) ?? {}
  // Without its key nothing can be said in secret.
  if (!kind || !part?.mediaKey?.length) return answer(el('error', { code: NOT_FOUND }))
  const key = Buffer.from(wire.hkdf(part.mediaKey, 32, { info: 'WhatsApp Media Retry Notification' }))
  if (!isAsked(wire, key, id, child(receipt, 'encrypt')))
    return answer(el('error', { code: DECRYPTION_ERROR }))

  const file = uplink.stored(part.directPath ?? '')
  const place = file && (await uplink.upload(folderOf(kind), file).catch(() => undefined))
  const result = !file ? NOT_FOUND : !place ? GENERAL_ERROR : SUCCESS
  const told = { stanzaId: id, result, ...(place ? { directPath: place.directPath } : {}) }
  return answer(seal(key, id, MediaRetryNotification.encode(told).finish()))
}

/** Who asks has the key of the file, and means this message. */
function isAsked(wire: Wire, key: Buffer, id: string, encrypt: Stanza | undefined): boolean {
  try {
    const sealed = bytes(child(encrypt, 'enc_p'))
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(child(encrypt, 'enc_iv')))
    decipher.setAAD(Buffer.from(id)).setAuthTag(sealed.subarray(-TAG_BYTES))
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -TAG_BYTES)), decipher.final()])
    return wire.proto.ServerErrorReceipt.decode(plain).stanzaId === id
  } catch {
    return false
  }
}

function seal(key: Buffer, id: string, plain: Uint8Array): Stanza {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return el('encrypt', {}, [el('enc_p', {}, sealed), el('enc_iv', {}, iv)])
}
