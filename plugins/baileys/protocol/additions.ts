import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import { Jid } from 'wamux/messaging'

/** The kind of an addition, as it enters the derivation of its key. */
export type UseCase =
  | 'Poll Vote'
  | 'Event Response'
  | 'Enc Reaction'
  | 'Enc Comment'
  | 'Message Edit'
  | 'Event Edit'
  | 'Poll Edit'
  | 'Poll Add Option'

/** The message to which an addition belongs. */
export interface Parent {
  readonly id: string
  /** The JIDs of its author, without device. */
  readonly authors: readonly string[]
  /** Newest first: each edit brings a new one. */
  readonly secrets: readonly Uint8Array[]
}

export interface SealedPart {
  readonly encPayload: Uint8Array
  readonly encIv: Uint8Array
}

/**
 * The plaintext of an addition sealed under the secret of its parent; undefined if no secret fits. The key is derived from
 * the JIDs of both authors in the form (phone or LID) used by the sender's client. That form is not transmitted, so each is
 * tried; a wrong one costs two hashes.
 *
 * @param authors the JIDs of the addition's author, the received form first.
 */
export function openAddition(
  parent: Parent,
  authors: readonly string[],
  use: UseCase,
  sealed: SealedPart,
): Buffer | undefined {
  const pairs = pairsOf(parent.authors, authors)
  for (const secret of parent.secrets) {
    const base = hmac(new Uint8Array(32), secret)
    for (const [author, by] of pairs) {
      const key = hmac(base, Buffer.from(`${parent.id}${author}${by}${use}\u0001`))
      const plain = decrypt(key, sealed, AUTHENTICATED.includes(use) ? `${parent.id}\0${by}` : '')
      if (plain) return plain
    }
  }
  return undefined
}

/**
 * Seals an addition to a message under its newest secret. Both authors are named by LID if both LIDs are known, otherwise both by
 * number: clients try either form, but not all of them try mixed ones.
 *
 * @param authors the JIDs of the addition's author.
 */
export function sealAddition(
  parent: Parent,
  authors: readonly string[],
  use: UseCase,
  plain: Uint8Array,
): SealedPart {
  const [secret] = parent.secrets
  const [pair] = pairsOf(parent.authors, authors)
  if (!secret || !pair) throw new Error('an addition needs a secret and both authors')
  const [author, by] = pair
  const base = hmac(new Uint8Array(32), secret)
  const key = hmac(base, Buffer.from(`${parent.id}${author}${by}${use}\u0001`))
  const encIv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, encIv)
  cipher.setAAD(Buffer.from(AUTHENTICATED.includes(use) ? `${parent.id}\0${by}` : ''))
  return { encPayload: Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]), encIv }
}

const TAG_BYTES = 16
const IV_BYTES = 12
/** The use cases that authenticate the author of the addition. */
const AUTHENTICATED: readonly UseCase[] = ['Poll Vote', 'Event Response']

/** Both by LID, both by number, then mixed pairs; the received forms first within each group. */
function pairsOf(parents: readonly string[], authors: readonly string[]): (readonly [string, string])[] {
  const pairs = parents.flatMap((parent) => authors.map((author) => [parent, author] as const))
  const rank = ([parent, author]: readonly [string, string]): number => {
    if (Jid.isLid(parent) && Jid.isLid(author)) return 0
    if (Jid.isPhone(parent) && Jid.isPhone(author)) return 1
    return 2
  }
  return pairs.sort((a, b) => rank(a) - rank(b))
}

function hmac(key: Uint8Array, data: Uint8Array): Buffer {
  return createHmac('sha256', key).update(data).digest()
}

function decrypt(key: Buffer, { encPayload, encIv }: SealedPart, authenticated: string): Buffer | undefined {
  if (encPayload.length < TAG_BYTES || encIv.length === 0) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, encIv, { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(authenticated))
    .setAuthTag(encPayload.subarray(-TAG_BYTES))
  try {
    return Buffer.concat([decipher.update(encPayload.subarray(0, -TAG_BYTES)), decipher.final()])
  } catch {
    return undefined
  }
}
