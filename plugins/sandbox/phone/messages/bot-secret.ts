import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'

type Wire = GatewayServices['wire']

/** Identifies an answer: its id, the LID of the asker, and the bot. */
export interface AnswerName {
  id: string
  asker: string
  bot: string
}

const TAG = 16

/** Encrypts a bot's answer as MessageSecretMessage with the secret of the question. */
export function sealAnswer(wire: Wire, secret: Uint8Array, name: AnswerName, plain: Uint8Array): Buffer {
  const iv = randomBytes(12)
  const cipher = createCipheriv('aes-256-gcm', keyOf(wire, secret, name), iv)
  cipher.setAAD(Buffer.from(`${name.id}\0${name.bot}`))
  const encPayload = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
  return Buffer.from(wire.proto.MessageSecretMessage.encode({ encIv: iv, encPayload }).finish())
}

export function openAnswer(wire: Wire, secret: Uint8Array, name: AnswerName, sealed: Uint8Array): Buffer {
  const { encIv, encPayload } = wire.proto.MessageSecretMessage.decode(sealed)
  const payload = Buffer.from(encPayload ?? [])
  const decipher = createDecipheriv('aes-256-gcm', keyOf(wire, secret, name), Buffer.from(encIv ?? []), {
    authTagLength: 16,
  })
  decipher.setAAD(Buffer.from(`${name.id}\0${name.bot}`))
  decipher.setAuthTag(payload.subarray(-TAG))
  return Buffer.concat([decipher.update(payload.subarray(0, -TAG)), decipher.final()])
}

function keyOf(wire: Wire, secret: Uint8Array, { id, asker, bot }: AnswerName): Buffer {
  const base = wire.hkdf(secret, 32, { info: 'Bot Message' })
  return Buffer.from(wire.hkdf(base, 32, { info: `${id}${asker}${bot}` }))
}
