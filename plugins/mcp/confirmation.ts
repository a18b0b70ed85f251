import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Codes that confirm one destructive call. */
export interface Confirmations {
  /** The code that confirms this call, by this caller, within five minutes. */
  codeOf(call: Call): string
  isValid(call: Call, code: string): boolean
}

export interface Call {
  /** The credentials it is made with. */
  readonly caller: string
  readonly tool: string
  /** Without the code. */
  readonly args: Readonly<Record<string, unknown>>
}

const VALID_MS = 300_000

/** Nothing is kept: a code is an HMAC of the call and its time. It is not valid after a restart. */
export function createConfirmations(now: () => number = Date.now): Confirmations {
  const key = randomBytes(32)
  const sign = ({ caller, tool, args }: Call, until: number): string => {
    const hmac = createHmac('sha256', key).update(JSON.stringify([caller, tool, sorted(args), until]))
    return `${until.toString(36)}-${hmac.digest('base64url').slice(0, 16)}`
  }
  return {
    codeOf: (call) => sign(call, now() + VALID_MS),
    isValid(call, code) {
      const until = Number.parseInt(code.split('-')[0] ?? '', 36)
      if (!(until >= now() && until <= now() + VALID_MS)) return false
      const [expected, given] = [Buffer.from(sign(call, until)), Buffer.from(code)]
      return expected.length === given.length && timingSafeEqual(expected, given)
    },
  }
}

/** Clients may repeat the arguments in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([key, inner]) => [key, sorted(inner)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}
