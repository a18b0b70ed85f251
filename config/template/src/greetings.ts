import type { PluginDb, Vault } from 'wamux/plugin'

/** The people whom a session has greeted. */
export interface Greetings {
  add(session: string, chat: string): Promise<void>
  of(session: string): Promise<string[]>
}

/** Personal data is looked up by an index and stored sealed: without the vault, the table reveals nothing. */
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
