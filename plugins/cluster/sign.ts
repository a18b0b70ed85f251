import { createHmac } from 'node:crypto'
import { isSameSecret } from 'wamux/plugin'

/** The parts covered by a signature: not the body, which is streamed. The client's own token decides what it may do. */
export interface Signed {
  method: string
  /** Path and query. */
  path: string
}

/**
 * `<to>,<from>,<number>,<HMAC-SHA256, base64url>`. A node's id identifies one run of a process, and each number is used once
 * between two of them: recognizing a replay needs no clock.
 *
 * @param to id of the node that must answer.
 */
export type Sign = (to: string, signed: Signed) => string

export function createSigner(secret: string, from: string): Sign {
  const last = new Map<string, number>()
  return (to, signed) => {
    const number = (last.get(to) ?? 0) + 1
    last.set(to, number)
    const covered = { ...signed, to, from, number }
    return `${to},${from},${number},${mac(secret, covered).toString('base64url')}`
  }
}

/**
 * The client address of a forwarded request, bound to the request's signature. It is separate from the signature: a node of
 * an earlier version, which does not know it, still accepts the request.
 */
export interface ClientMarks {
  /** `<address>,<HMAC-SHA256, base64url>` */
  mark(signature: string, address: string): string
  /** The address; undefined for a mark that no node made, or that belongs to another request. */
  read(signature: string, mark: string): string | undefined
}

export function createClientMarks(secret: string): ClientMarks {
  const macOf = (signature: string, address: string): Buffer =>
    createHmac('sha256', secret).update(['client', signature, address].join('\n')).digest()
  return {
    mark: (signature, address) => `${address},${macOf(signature, address).toString('base64url')}`,
    read(signature, mark) {
      const [address = '', given = ''] = mark.split(',')
      return isSameSecret(Buffer.from(given, 'base64url'), macOf(signature, address)) ? address : undefined
    },
  }
}

/** `elsewhere`: meant for another node, for one that ran here before, or used already; the sender may sign it anew. */
export type SignatureVerdict = 'valid' | 'forged' | 'elsewhere'

/** Checks signatures of requests to the node `self`; each is valid once. */
export function createVerifier(
  secret: string,
  self: string,
): (signed: Signed, signature: string) => SignatureVerdict {
  const senders = new Map<string, UsedNumbers>()
  return (signed, signature) => {
    const [to = '', from = '', digits = '', given = ''] = signature.split(',')
    const number = Number(digits)
    const expected = mac(secret, { ...signed, to, from, number })
    if (!isSameSecret(Buffer.from(given, 'base64url'), expected)) return 'forged'
    if (to !== self) return 'elsewhere'
    const used = senders.get(from) ?? createUsedNumbers()
    senders.set(from, used)
    return used.add(number) ? 'valid' : 'elsewhere'
  }
}

/** Requests overtake each other by at most the number in progress, which is far smaller. */
const WINDOW = 16_384

interface UsedNumbers {
  /** Whether it is unused; one that is `WINDOW` behind the highest counts as used. */
  add(number: number): boolean
}

/** The replay window of IPsec (RFC 6479): a ring of bits behind the highest number. */
function createUsedNumbers(): UsedNumbers {
  const bits = new Uint8Array(WINDOW / 8)
  let highest = 0
  const bitOf = (number: number): [index: number, mask: number] => [
    Math.floor((number % WINDOW) / 8),
    1 << (number % 8),
  ]
  return {
    add(number) {
      if (number <= highest - WINDOW) return false
      for (let next = Math.max(highest, number - WINDOW) + 1; next <= number; next += 1) {
        const [index, mask] = bitOf(next)
        bits[index] = (bits[index] ?? 0) & ~mask
      }
      highest = Math.max(highest, number)
      const [index, mask] = bitOf(number)
      if (((bits[index] ?? 0) & mask) !== 0) return false
      bits[index] = (bits[index] ?? 0) | mask
      return true
    },
  }
}

interface Covered extends Signed {
  to: string
  from: string
  number: number
}

function mac(secret: string, { to, from, number, method, path }: Covered): Buffer {
  return createHmac('sha256', secret).update([to, from, number, method, path].join('\n')).digest()
}
