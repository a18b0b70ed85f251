import { gatewayError } from 'wamux/plugin'
import { hashOf, newSecret } from './cookie.ts'

/** Codes of links that log in once, without a token to copy. In memory: they end with the process. */
export interface SignInCodes {
  /** @returns a code that represents the token until it is spent, for at most ten minutes. */
  make(token: string): string
  /** Spends a code; returns its token. Throws DASHBOARD_CODE. */
  spend(code: string): string
}

const VALID_MS = 600_000
const MAX_CODES = 100

export function createSignInCodes(): SignInCodes {
  const codes = new Map<string, { token: string; expiresAt: number }>()
  return {
    make(token) {
      const code = newSecret()
      codes.set(hashOf(code), { token, expiresAt: Date.now() + VALID_MS })
      const [oldest] = codes.keys()
      if (codes.size > MAX_CODES && oldest !== undefined) codes.delete(oldest)
      return code
    },
    spend(code) {
      const id = hashOf(code)
      const found = codes.get(id)
      codes.delete(id)
      if (!found || found.expiresAt <= Date.now()) throw gatewayError('DASHBOARD_CODE')
      return found.token
    },
  }
}
