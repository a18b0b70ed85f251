import type { PluginDb } from 'wamux/plugin'

/** Who was greeted by a session. */
export interface Greetings {
  add(session: string, chat: string): Promise<void>
  of(session: string): Promise<string[]>
}

export function createGreetings({ db }: { db: PluginDb }): Greetings {
  return {
    add: (session, chat) => db.write([db.put('greetings', ['session', 'chat'], [{ session, chat }])]),
    async of(session) {
      const rows = await db
        .read<{ session: string; chat: string }>(db.table('greetings'))
        .where({ session })
        .orderBy('chat')
        .select('chat')
      return rows.map(({ chat }) => chat)
    },
  }
}
