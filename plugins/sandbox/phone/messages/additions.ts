import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'

/** The kind of an addition to a message; part of the key that seals it. */
export type UseCase =
  | 'Poll Vote'
  | 'Event Response'
  | 'Enc Reaction'
  | 'Enc Comment'
  | 'Message Edit'
  | 'Event Edit'
  | 'Poll Edit'
  | 'Poll Add Option'

/** An addition to another message, sealed under the secret of that message. JIDs have no device. */
export interface Addition {
  use: UseCase
  /** Id and author of the message to which it belongs. */
  parent: string
  author: string
  /** Author of the addition. */
  by: string
}

interface Sealed {
  encPayload: Uint8Array
  encIv: Uint8Array
}

const TAG_BYTES = 16
const IV_BYTES = 12
/** The use cases whose author is also authenticated. */
const AUTHENTICATED: readonly UseCase[] = ['Poll Vote', 'Event Response']

export function sealAddition(secret: Uint8Array, addition: Addition, plain: Uint8Array): Sealed {
  const encIv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret, addition), encIv).setAAD(aadOf(addition))
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv }
}

/** The plaintext; undefined if the addition was sealed with another key. */
export function openAddition(secret: Uint8Array, addition: Addition, sealed: Sealed): Buffer | undefined {
  const payload = Buffer.from(sealed.encPayload)
  const decipher = createDecipheriv('aes-256-gcm', keyOf(secret, addition), sealed.encIv, {
    authTagLength: TAG_BYTES,
  })
  decipher.setAAD(aadOf(addition)).setAuthTag(payload.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(payload.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}

function keyOf(secret: Uint8Array, { use, parent, author, by }: Addition): Buffer {
  const base = createHmac('sha256', Buffer.alloc(32)).update(secret).digest()
  return createHmac('sha256', base).update(`${parent}${author}${by}${use}\u0001`).digest()
}

function aadOf({ use, parent, by }: Addition): Buffer {
  return Buffer.from(AUTHENTICATED.includes(use) ? `${parent}\0${by}` : '')
}

export const newSecret = (): Buffer => randomBytes(32)
