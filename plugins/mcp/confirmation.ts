import { createHmac, randomBytes } from 'node:crypto'
import { isSameSecret } from 'wamux/plugin'

/** Codes, each of which confirms one call: a destructive one, or a send that needs confirmation. */
export interface Confirmations {
  /** The code that confirms this call by this caller within five minutes. */
  codeOf(call: Call): string
  /** Whether the code confirms this call; a code works only once. */
  spend(call: Call, code: string): boolean
}

export interface Call {
  /** Identifies the credentials of the call. */
  readonly caller: string
  readonly tool: string
  /** Without the code. */
  readonly args: Readonly<Record<string, unknown>>
}

const VALID_MS = 300_000

/** A code is an HMAC of the call and its expiry: only spent codes are stored. None is valid after a restart. */
export function createConfirmations(): Confirmations {
  const key = randomBytes(32)
  /** Spent codes with their expiry time. */
  const spent = new Map<string, number>()
  const sign = ({ caller, tool, args }: Call, until: number): string => {
    const hmac = createHmac('sha256', key).update(JSON.stringify([caller, tool, sorted(args), until]))
    return `${until.toString(36)}-${hmac.digest('base64url').slice(0, 16)}`
  }
  return {
    codeOf: (call) => sign(call, Date.now() + VALID_MS),
    spend(call, code) {
      const until = Number.parseInt(code.split('-')[0] ?? '', 36)
      if (!(until >= Date.now() && until <= Date.now() + VALID_MS)) return false
      if (!isSameSecret(code, sign(call, until)) || spent.has(code)) return false
      for (const [old, end] of spent) if (end < Date.now()) spent.delete(old)
      spent.set(code, until)
      return true
    },
  }
}

/** Sorted, since clients may repeat the arguments in another order. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .map(([key, inner]) => [key, sorted(inner)])
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
}
