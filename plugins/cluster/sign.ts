import { createHmac, timingSafeEqual } from 'node:crypto'

/** What a signature covers: not the body, which is streamed; the client's own token decides what it may do. */
export interface Signed {
  method: string
  /** Path and query. */
  path: string
}

/**
 * `<to>,<from>,<number>,<HMAC-SHA256, base64url>`. A node's id names one run of a process, and each number is used
 * once between two of them: no clock is needed to recognise a repetition.
 *
 * @param to id of the node that is to answer.
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
 * The address of the client of a request that is passed on, bound to the signature of that request. It is apart from the signature, so
 * that a node of an earlier version, which knows no such mark, still accepts the request.
 */
export interface ClientMarks {
  /** `<address>,<HMAC-SHA256, base64url>` */
  mark(signature: string, address: string): string
  /** The address; undefined for a mark that is not of a node's, or of another request. */
  read(signature: string, mark: string): string | undefined
}

export function createClientMarks(secret: string): ClientMarks {
  const macOf = (signature: string, address: string): Buffer =>
    createHmac('sha256', secret).update(['client', signature, address].join('\n')).digest()
  return {
    mark: (signature, address) => `${address},${macOf(signature, address).toString('base64url')}`,
    read(signature, mark) {
      const [address = '', given = ''] = mark.split(',')
      const [bytes, expected] = [Buffer.from(given, 'base64url'), macOf(signature, address)]
      return bytes.length === expected.length && timingSafeEqual(bytes, expected) ? address : undefined
    },
  }
}

/** `elsewhere`: meant for another node, for one that ran here before, or used already; the sender may sign it anew. */
export type Verdict = 'valid' | 'forged' | 'elsewhere'

/** Checks signatures of requests to the node `self`; each is valid once. */
export function createVerifier(secret: string, self: string): (signed: Signed, signature: string) => Verdict {
  const senders = new Map<string, UsedNumbers>()
  return (signed, signature) => {
    const [to = '', from = '', digits = '', given = ''] = signature.split(',')
    const number = Number(digits)
    const expected = mac(secret, { ...signed, to, from, number })
    const bytes = Buffer.from(given, 'base64url')
    if (bytes.length !== expected.length || !timingSafeEqual(bytes, expected)) return 'forged'
    if (to !== self) return 'elsewhere'
    const used = senders.get(from) ?? createUsedNumbers()
    senders.set(from, used)
    return used.add(number) ? 'valid' : 'elsewhere'
  }
}

/** Requests overtake each other by the number of those that are under way; this is far more. */
const WINDOW = 16_384

interface UsedNumbers {
  /** Whether it was not used before; one that is `WINDOW` behind the highest counts as used. */
  add(number: number): boolean
}

/** As IPsec recognises repeated packets (RFC 6479): a ring of bits behind the highest number. */
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
