import { LRUCache } from 'lru-cache'
import type { ContactStore } from './contact-store.ts'

/** Recently seen push names, so that not every message reads and writes a row. */
export interface PushNameCache {
  /** Stores a name; returns the previous one if it differs. */
  changed(session: string, jid: string, name: string): Promise<string | undefined>
  forget(session: string): void
}

const MAX_NAMES = 50_000

export function createPushNameCache({ contactStore }: { contactStore: ContactStore }): PushNameCache {
  const known = new LRUCache<string, string>({ max: MAX_NAMES })
  return {
    async changed(session, jid, name) {
      const place = `${session} ${jid}`
      const before = known.get(place) ?? (await contactStore.pushName(session, jid))
      known.set(place, name)
      return before === name ? undefined : before
    },
    forget(session) {
      for (const place of [...known.keys()]) if (place.startsWith(`${session} `)) known.delete(place)
    },
  }
}
