import { LRUCache } from 'lru-cache'
import type { ContactStore } from './contact-store.ts'

/** Recently seen push names and usernames, which save a read and a write per message. */
export interface PushNameCache {
  /** Stores a name; returns the previous one if it differs. */
  changed(session: string, jid: string, name: string): Promise<string | undefined>
  /** Whether this username was not seen since the start of the link. */
  isNewUsername(session: string, jid: string, username: string): boolean
  forget(session: string): void
}

interface Names {
  pushName?: string
  username?: string
}

const MAX_NAMES = 50_000

export function createPushNameCache({ contactStore }: { contactStore: ContactStore }): PushNameCache {
  // One cache for all sessions: it allocates all entries when created.
  const known = new LRUCache<string, Names>({ max: MAX_NAMES })

  function namesOf(session: string, jid: string): Names {
    const place = `${session} ${jid}`
    const names = known.get(place) ?? {}
    known.set(place, names)
    return names
  }

  return {
    isNewUsername(session, jid, username) {
      const names = namesOf(session, jid)
      const isNew = names.username !== username
      names.username = username
      return isNew
    },
    async changed(session, jid, name) {
      const names = namesOf(session, jid)
      const before = names.pushName ?? (await contactStore.pushName(session, jid))
      names.pushName = name
      return before === name ? undefined : before
    },
    forget(session) {
      for (const place of [...known.keys()]) if (place.startsWith(`${session} `)) known.delete(place)
    },
  }
}
