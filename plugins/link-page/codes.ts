import { LRUCache } from 'lru-cache'
import { gatewayError, isGatewayError, type Sessions } from 'wamux/plugin'
import type { Link } from './links.ts'

export interface PairingCode {
  /** Eight characters. */
  readonly text: string
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Pairing codes requested with links. */
export interface Codes {
  /** The latest code of a link, while it is valid. */
  of(link: Link): PairingCode | undefined
  /** Rejects FIELD_INVALID, LINK_PAGE_CODES, LINK_PAGE_REFUSED, and errors of linking. */
  request(link: Link, phone: string): Promise<PairingCode>
  /** Forgets the latest code, because its attempt has ended. */
  drop(link: Link): void
}

/** The phone refuses an older code. */
const CODE_MS = 180_000
/** The number's owner is notified of each code: a link must not become a means of disturbing people. */
const MAX_CODES = 10

export function createCodes({ sessions }: { sessions: Sessions }): Codes {
  const entries = new LRUCache<string, { count: number; code?: PairingCode }>({ max: 10_000 })
  return {
    of({ id }) {
      const { code } = entries.get(id) ?? {}
      return code && code.until > Date.now() ? code : undefined
    },
    async request({ id, session }, phone) {
      const number = digitsOf(phone)
      const entry = entries.get(id) ?? { count: 0 }
      if (entry.count >= MAX_CODES) throw gatewayError('LINK_PAGE_CODES')
      entries.set(id, { count: entry.count + 1 })
      const text = await sessions.pair(session, number).catch((error: unknown) => {
        throw refusalOf(error)
      })
      const code = { text, until: Date.now() + CODE_MS }
      entries.set(id, { count: entries.get(id)?.count ?? 1, code })
      return code
    },
    drop({ id }) {
      const { count = 0 } = entries.get(id) ?? {}
      if (count > 0) entries.set(id, { count })
    },
  }
}

function digitsOf(phone: string): string {
  // Copied numbers contain spaces, dashes and many kinds of invisible marks.
  const digits = phone.replace(/\D/g, '').replace(/^00/, '')
  // Country codes do not begin with 0: such a number is a national one.
  if (/\p{L}/u.test(phone) || !/^[1-9]\d{6,14}$/.test(digits))
    throw gatewayError('FIELD_INVALID', ['Phone', 'a number with country code has 7 to 15 digits'])
  return digits
}

/** The network answers 400 both for an unknown number and for too many requests. */
function refusalOf(error: unknown): unknown {
  if (!isGatewayError(error)) return error
  const isRefusal =
    ['NETWORK_LIMITED', 'NETWORK_FORBIDDEN'].includes(error.code) || /\(4\d\d\)$/.test(error.message)
  return isRefusal ? gatewayError('LINK_PAGE_REFUSED', [error.message], { cause: error }) : error
}
