import { ALL_OWNED, createOwned, type Kernel, type Ownership, reasonOf } from 'wamux/plugin'

type Deps = Pick<Kernel<unknown>, 'consumers' | 'db' | 'log' | 'sessions'> & {
  ownership?: Ownership | undefined
}

/** Has the log of each session read from its beginning once, because a new consumer begins at the end of the log. */
export interface Backfill {
  start(): Promise<void>
  stop(): Promise<void>
}

export function createBackfill({ consumers, db, log, sessions, ownership = ALL_OWNED }: Deps): Backfill {
  const owned = createOwned({
    ownership,
    open: begin,
    onError: (error, session) =>
      log.error({ session, reason: reasonOf(error) }, 'the log of a session is not read from its beginning'),
  })
  async function begin(session: string): Promise<void> {
    if (await db.read(db.table('sessions')).where({ session }).first()) return
    await consumers.move('chat-log', session, 0)
    await db.write([db.add('sessions', ['session'], [{ session }])])
  }
  return {
    async start() {
      owned.start()
      for (const { id } of await sessions.list()) if (ownership.owns(id)) await begin(id)
    },
    stop: owned.stop,
  }
}
