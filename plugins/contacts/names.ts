import { LRUCache } from 'lru-cache'
import type { People } from './people.ts'

/** The push names that were last seen, so that not every message reads and writes a row. */
export interface Names {
  /** Remembers a name; answers the one before when it is another. */
  changed(session: string, jid: string, name: string): Promise<string | undefined>
  forget(session: string): void
}

const MOST = 50_000

export function createNames({ people }: { people: People }): Names {
  const known = new LRUCache<string, string>({ max: MOST })
  return {
    async changed(session, jid, name) {
      const place = `${session} ${jid}`
      const before = known.get(place) ?? (await people.pushName(session, jid))
      known.set(place, name)
      return before === name ? undefined : before
    },
    forget(session) {
      for (const place of [...known.keys()]) if (place.startsWith(`${session} `)) known.delete(place)
    },
  }
}
