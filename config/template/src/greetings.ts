import type { PluginDb, Vault } from 'wamux/plugin'

/** Who was greeted by a session. */
export interface Greetings {
  add(session: string, chat: string): Promise<void>
  of(session: string): Promise<string[]>
}

/** What tells of people is found by an index and read by opening what is sealed: the table alone tells nothing. */
export function createGreetings({ db, vault }: { db: PluginDb; vault: Vault }): Greetings {
  const placeOf = (person: string): string => `hello_greetings/${person}`
  return {
    async add(session, chat) {
      const person = vault.index(session, 'hello_greetings/person', chat)
      const row = { session, person, chat: vault.seal(session, placeOf(person), chat) }
      await db.write([db.put('greetings', ['session', 'person'], [row])])
    },
    async of(session) {
      const rows = await db
        .read<{ session: string; person: string; chat: Buffer }>(db.table('greetings'))
        .where({ session })
        .select('person', 'chat')
      return rows.map(({ person, chat }) => vault.open(session, placeOf(person), chat).toString()).sort()
    },
  }
}
