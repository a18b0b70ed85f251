import { Jid } from 'wamux/messaging'
import type { Kernel, Recording } from 'wamux/plugin'

interface Key {
  remoteJid?: string | null | undefined
  remoteJidAlt?: string | null | undefined
}

/** The people with whom a session has exchanged messages. */
export interface KnownContacts {
  /** Whether the chat is with a person and has no message yet; groups and the like are never new. */
  isNew(session: string, chat: string): Promise<boolean>
  met(session: string, keys: readonly Key[]): Recording | undefined
}

export function createKnownContacts({
  db,
  sessions,
  vault,
}: Pick<Kernel<unknown>, 'db' | 'sessions' | 'vault'>): KnownContacts {
  const indexOf = (session: string, jid: string): string => vault.index(session, 'pacing_contacts/chat', jid)
  return {
    async isNew(session, chat) {
      if (!Jid.isPerson(chat)) return false
      const alt = await (await sessions.byId(session))?.socket?.altJid(chat)
      const row = await db
        .read(db.table('contacts'))
        .where({ session })
        .whereIn(
          'chat',
          [chat, alt ?? ''].map((jid) => indexOf(session, jid)),
        )
        .first()
      return row === undefined
    },
    met(session, keys) {
      const jids = keys.flatMap(({ remoteJid, remoteJidAlt }) => [remoteJid ?? '', remoteJidAlt ?? ''])
      const people = new Set(jids.map(Jid.bare).filter(Jid.isPerson))
      if (people.size === 0) return undefined
      return {
        writes: [
          db.add(
            'contacts',
            ['session', 'chat'],
            [...people].map((jid) => ({ session, chat: indexOf(session, jid) })),
          ),
        ],
      }
    },
  }
}
