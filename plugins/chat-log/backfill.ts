import { ALL_OWNED, type Kernel, type Ownership } from 'wamux/plugin'

type Deps = Pick<Kernel<unknown>, 'background' | 'consumers' | 'db' | 'sessions'> & {
  ownership?: Ownership | undefined
}

/** Has the log of each session read from its beginning once, because a new consumer begins at the end of the log. */
export interface Backfill {
  start(): Promise<void>
  stop(): void
}

export function createBackfill({
  background,
  consumers,
  db,
  sessions,
  ownership = ALL_OWNED,
}: Deps): Backfill {
  let stopWatching = (): void => undefined
  async function begin(session: string): Promise<void> {
    if (await db.read(db.table('sessions')).where({ session }).first()) return
    await consumers.move('chat-log', session, 0)
    await db.write([db.add('sessions', ['session'], [{ session }])])
  }
  return {
    async start() {
      stopWatching = ownership.watch((session, isOwned) => {
        if (isOwned) background(begin(session), 'reading the log of a session from its beginning')
      })
      for (const { id } of await sessions.list()) if (ownership.owns(id)) await begin(id)
    },
    stop: () => stopWatching(),
  }
}
