import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import { bytes, child, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { StoringUplink } from '../device/storage.ts'
import { fileOf } from './fetch-media.ts'
import { folderOf } from './media.ts'
import type { Stored } from './store.ts'

type Wire = GatewayServices['wire']

const TAG_BYTES = 16

/** Answers a companion's media retry request: uploads the file again, or reports why it can't. */
export async function answerMediaRetry(
  wire: Wire,
  uplink: StoringUplink,
  messages: readonly Stored[],
  { attrs, content = [] }: Stanza,
): Promise<void> {
  const { MediaRetryNotification } = wire.proto
  const { SUCCESS, NOT_FOUND, GENERAL_ERROR, DECRYPTION_ERROR } = MediaRetryNotification.ResultType
  const { id = '', from: to } = attrs
  const receipt = { tag: 'receipt', attrs, content }
  const target = child(receipt, 'rmr')?.attrs ?? {}
  const answer = (what: Stanza): void =>
    uplink.send(el('notification', { to, id, type: 'mediaretry' }, [what, el('rmr', target)]))

  const found = messages.find((one) => one.id === id && String(one.fromMe) === target['from_me'])
  const { kind, part } = (found && fileOf(found.raw)) ?? {}
  // Without the media key, the answer can't be encrypted.
  if (!kind || !part?.mediaKey?.length) return answer(el('error', { code: NOT_FOUND }))
  const key = Buffer.from(wire.hkdf(part.mediaKey, 32, { info: 'WhatsApp Media Retry Notification' }))
  if (!isAuthentic(wire, key, id, child(receipt, 'encrypt')))
    return answer(el('error', { code: DECRYPTION_ERROR }))

  const file = uplink.stored(part.directPath ?? '')
  const uploaded = file && (await uplink.upload(folderOf(kind), file).catch(() => undefined))
  const result = !file ? NOT_FOUND : !uploaded ? GENERAL_ERROR : SUCCESS
  const notification = { stanzaId: id, result, ...(uploaded ? { directPath: uploaded.directPath } : {}) }
  return answer(seal(key, id, MediaRetryNotification.encode(notification).finish()))
}

/** Whether the request was encrypted with the media key and refers to this message. */
function isAuthentic(wire: Wire, key: Buffer, id: string, encrypt: Stanza | undefined): boolean {
  try {
    const sealed = bytes(child(encrypt, 'enc_p'))
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(child(encrypt, 'enc_iv')), {
      authTagLength: 16,
    })
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
