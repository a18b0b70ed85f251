import { ALL_OWNED, createOwned, type Kernel, type Ownership, reasonOf } from 'wamux/plugin'

type Deps = Pick<Kernel<unknown>, 'consumers' | 'db' | 'log' | 'sessions'> & {
  ownership?: Ownership | undefined
}

/** Makes the consumer read each session's log once from its beginning, because a new consumer starts at the end. */
export interface Backfill {
  start(): Promise<void>
  stop(): Promise<void>
}

export function createBackfill({ consumers, db, log, sessions, ownership = ALL_OWNED }: Deps): Backfill {
  const owned = createOwned({
    ownership,
    open: begin,
    onError: (error, session) =>
      log.error(
        { session, reason: reasonOf(error) },
        'could not read the log of a session from its beginning',
      ),
  })
  async function begin(session: string): Promise<void> {
    if (await db.read(db.table('sessions')).where({ session }).first()) return
    await consumers.move('chat-log', session, 0)
    await db.write([db.add('sessions', ['session'], [{ session }])])
  }
  return {
    async start() {
      owned.start()
      for (const { id } of sessions.served()) await begin(id)
    },
    stop: owned.stop,
  }
}
