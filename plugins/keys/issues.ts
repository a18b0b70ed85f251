import { ALL_OWNED, type Ownership } from 'wamux/plugin'
import { type Key, onlySession } from './key.ts'
import type { AccessKeyStore } from './key-store.ts'

const DAY_MS = 86_400_000
/** How long before its end a key is named, if it lives long enough. */
const NOTICE_MS = 7 * DAY_MS
/** How long after its end a key that was in use is named, unless it is revoked. */
const AFTER_MS = 7 * DAY_MS

/** Keys that are about to expire, and those that expired while a program used them. */
export function issuesOf({
  keyStore,
  ownership = ALL_OWNED,
}: {
  keyStore: AccessKeyStore
  ownership?: Ownership | undefined
}) {
  return {
    async list() {
      const now = Date.now()
      return (await keyStore.list(undefined)).flatMap((key) => {
        const { expiresAt = 0, lastUse } = key
        const session = key.owner ?? onlySession(key) ?? ''
        if (expiresAt === 0 || (session && !ownership.owns(session))) return []
        const one = { subject: key.name || key.hint, session, request: 'POST /keys', screen: '/keys' }
        const end = new Date(expiresAt).toISOString()
        const notice = expiresAt - noticeOf(key, expiresAt)
        if (notice <= now && now < expiresAt)
          return {
            ...one,
            cause: 'key-expiring',
            level: 'warning' as const,
            reason: `it is valid until ${end}`,
            remedy: 'Create a new key for the program that uses it, then revoke this one.',
            screenOfMany: '/keys',
            since: notice,
          }
        if (expiresAt <= now && now < expiresAt + AFTER_MS && lastUse)
          return {
            ...one,
            cause: 'key-expired',
            level: 'error' as const,
            reason: `it was valid until ${end}, and is refused since`,
            remedy: 'Create a new key for the program that used it, then revoke this one.',
            screenOfMany: '/keys',
            since: expiresAt,
          }
        return []
      })
    },
  }
}

/** A quarter of a short life: a key for an hour is no issue when it is created. */
function noticeOf({ createdAt }: Key, expiresAt: number): number {
  return Math.min(NOTICE_MS, (expiresAt - createdAt) / 4)
}
