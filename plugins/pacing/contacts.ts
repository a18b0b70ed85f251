import type { Kernel, Recording } from 'wamux/plugin'

interface Key {
  remoteJid?: string | null | undefined
  remoteJidAlt?: string | null | undefined
}

/** Whom a session has a chat with. */
export interface Contacts {
  /** A person with whom nothing was exchanged yet; groups and the like are never new. */
  isNew(session: string, chat: string): Promise<boolean>
  met(session: string, keys: readonly Key[]): Recording | undefined
}

const PERSON = /@(s\.whatsapp\.net|lid)$/

export function createContacts({ db, sessions }: Pick<Kernel<unknown>, 'db' | 'sessions'>): Contacts {
  return {
    async isNew(session, chat) {
      if (!PERSON.test(chat)) return false
      const alt = await (await sessions.byId(session))?.socket?.altJid(chat)
      const row = await db
        .read(db.table('contacts'))
        .where({ session })
        .whereIn('chat', alt ? [chat, alt] : [chat])
        .first()
      return row === undefined
    },
    met(session, keys) {
      const jids = keys.flatMap(({ remoteJid, remoteJidAlt }) => [remoteJid ?? '', remoteJidAlt ?? ''])
      const people = new Set(jids.map((jid) => jid.replace(/:\d+@/, '@')).filter((jid) => PERSON.test(jid)))
      if (people.size === 0) return undefined
      return {
        writes: [
          db.add(
            'contacts',
            ['session', 'chat'],
            [...people].map((chat) => ({ session, chat })),
          ),
        ],
      }
    },
  }
}
