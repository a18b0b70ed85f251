import { LRUCache } from 'lru-cache'
import type { ContactStore } from './contact-store.ts'

/** Recently seen push names, so that not every message reads and writes a row. */
export interface PushNameCache {
  /** Stores a name; returns the previous one if it differs. */
  changed(session: string, jid: string, name: string): Promise<string | undefined>
  /** Whether this username was not seen since the start of the link. */
  isNewUsername(session: string, jid: string, username: string): boolean
  forget(session: string): void
}

const MAX_NAMES = 50_000

export function createPushNameCache({ contactStore }: { contactStore: ContactStore }): PushNameCache {
  const known = new LRUCache<string, string>({ max: MAX_NAMES })
  const usernames = new LRUCache<string, string>({ max: MAX_NAMES })
  return {
    isNewUsername(session, jid, username) {
      const place = `${session} ${jid}`
      const isNew = usernames.get(place) !== username
      usernames.set(place, username)
      return isNew
    },
    async changed(session, jid, name) {
      const place = `${session} ${jid}`
      const before = known.get(place) ?? (await contactStore.pushName(session, jid))
      known.set(place, name)
      return before === name ? undefined : before
    },
    forget(session) {
      for (const names of [known, usernames])
        for (const place of [...names.keys()]) if (place.startsWith(`${session} `)) names.delete(place)
    },
  }
}
