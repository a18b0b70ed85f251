import { startTimer } from '../async/clock.ts'
import { gatewayError } from '../errors.ts'
import type { SessionVault } from '../vault/vault.ts'
import type { OldToken, SessionRow } from './session-row.ts'

/** Which session a token finds, and the streams that tokens have opened. */
export function createSessionTokens(vault: Pick<SessionVault, 'mac'>) {
  /** Ids by the HMAC of the token: the time of a lookup must not depend on the token. */
  const ids = new Map<string, string>()
  /** Abort controllers of tokens with open streams. */
  const ends = new Map<string, AbortController>()

  const macOf = (token: string): string => vault.mac(bare(token))
  const macsOf = ({ token, oldToken }: SessionRow) => [vault.mac(token), ...(oldToken ? [oldToken.mac] : [])]

  function end(mac: string, id: string): void {
    // After it expires, another session may have received the token.
    if (ids.get(mac) !== id) return
    ids.delete(mac)
    ends.get(mac)?.abort(gatewayError('TOKEN_INVALID'))
    ends.delete(mac)
  }

  function expire(old: OldToken, id: string): void {
    const wait = old.until - Date.now()
    if (wait <= 0) end(old.mac, id)
    else startTimer(wait, () => expire(old, id), { isUnref: true })
  }

  return {
    macOf,
    sessionOf: (token: string) => (isWritable(token) ? ids.get(macOf(token)) : undefined),
    /** Tokens of its previous row no longer find the session unless they are still valid. */
    keep(session: SessionRow, before: SessionRow | undefined): void {
      const valid = macsOf(session)
      for (const mac of before ? macsOf(before) : []) if (!valid.includes(mac)) end(mac, session.id)
      for (const mac of valid) ids.set(mac, session.id)
      if (session.oldToken) expire(session.oldToken, session.id)
    },
    drop(session: SessionRow): void {
      for (const mac of macsOf(session)) end(mac, session.id)
    },
    /** Aborted when the token becomes invalid. */
    ended(token: string): AbortSignal {
      const mac = macOf(token)
      const ending = ends.get(mac) ?? new AbortController()
      if (ids.has(mac)) ends.set(mac, ending)
      else ending.abort(gatewayError('TOKEN_INVALID'))
      return ending.signal
    },
    /** Ids of sessions with streams opened by their tokens. */
    withStreams: () => [...new Set([...ends.keys()].flatMap((mac) => ids.get(mac) ?? []))],
  }
}

/** Whether a header can carry it: bytes above ASCII are read as latin1 and would be a different text in UTF-8. */
export function isWritable(token: string): boolean {
  return /^[\t-\r\x20-\x7e]*$/.test(token)
}

/** A token as it is stored; clients may continue to send it as they chose it, including spaces. */
export function bare(token: string): string {
  return token.replace(/\s+/g, '')
}
