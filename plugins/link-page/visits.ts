import { gatewayError, type Session, type Sessions } from 'wamux/plugin'
import { isHolder, type Link, type Links } from './links.ts'

/** A request of the browser that has opened a link. */
export interface Visit {
  readonly link: Link
  readonly session: Session
}

export interface Visits {
  /** Accepts an ended link too. Rejects LINK_PAGE_UNKNOWN, LINK_PAGE_FOREIGN for another browser. */
  recognize(token: string, cookies: string): Promise<Visit>
  /** Also rejects LINK_PAGE_OVER. */
  admit(token: string, cookies: string): Promise<Visit>
}

const COOKIE = 'wamux_link'
/** How long a link is kept after its end, for its page to show how it ended. */
export const KEEP_MS = 24 * 3_600_000

export function createVisits({ links, sessions }: { links: Links; sessions: Sessions }): Visits {
  async function recognize(token: string, cookies: string): Promise<Visit> {
    const link = await links.find(token)
    const session = link && (await sessions.byId(link.session))
    if (!link || !session) throw gatewayError('LINK_PAGE_UNKNOWN')
    if (!isHolder(link, readCookie(cookies))) throw gatewayError('LINK_PAGE_FOREIGN')
    return { link, session }
  }
  return {
    recognize,
    async admit(token, cookies) {
      const visit = await recognize(token, cookies)
      if (!isUsable(visit.link)) throw gatewayError('LINK_PAGE_OVER')
      return visit
    },
  }
}

/** Whether an opened link can still be used to link an account. */
export function isUsable({ state, expiresAt }: Link): boolean {
  return state === 'opened' && expiresAt > Date.now()
}

/** The cookie of this plugin in the header `Cookie`, '' without one. */
export function readCookie(header: string): string {
  for (const part of header.split(';')) {
    const [name = '', value = ''] = part.trim().split('=')
    if (name === COOKIE) return value
  }
  return ''
}

/** Sent only with requests for this link from pages of this gateway, and not readable by scripts. */
export function cookieOf(value: string, path: string, isSecure: boolean, seconds: number): string {
  const fields = [`${COOKIE}=${value}`, `Path=${path}`, `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict']
  return [...fields, ...(isSecure ? ['Secure'] : [])].join('; ')
}
