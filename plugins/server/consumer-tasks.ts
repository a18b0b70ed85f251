import { ALL_OWNED, createSerialQueue, type Kernel, type Ownership, type Row, reasonOf } from 'wamux/plugin'

/** An operator's task for a consumer in one session: moving its cursor, or retrying a dead letter. */
export interface ConsumerTask {
  readonly consumer: string
  readonly session: string
  readonly kind: 'move' | 'retry'
  /** The last event that counts as handled, or the dead letter. */
  readonly seq: number
}

/** Stored, because the process that serves the session must run them, which may be another one. */
export interface ConsumerTasks {
  /** Resolves when the tasks of sessions that this process serves are done or have failed. */
  add(tasks: readonly ConsumerTask[]): Promise<void>
  /** Runs the stored tasks of sessions that this process serves. */
  run(): Promise<void>
}

type Deps = Pick<Kernel<unknown>, 'db' | 'consumers' | 'events' | 'log'> & {
  ownership?: Ownership | undefined
}

const KEY = ['consumer', 'session', 'letter']

export function createConsumerTasks({
  db,
  consumers,
  events,
  log,
  ownership = ALL_OWNED,
}: Deps): ConsumerTasks {
  const queue = createSerialQueue()

  async function perform({ consumer, session, kind, seq }: ConsumerTask): Promise<void> {
    if (kind === 'move') return consumers.move(consumer, session, seq)
    const [event] = await events.lines([seq])
    if (event) await consumers.retry(consumer, event)
  }

  async function runAll(): Promise<void> {
    const running = new Set(consumers.list().map(({ name }) => name))
    for (const row of await db.read<Row>(db.table('consumer_tasks')).orderBy('seq')) {
      const task = fromRow(row)
      if (!running.has(task.consumer) || !ownership.owns(task.session)) continue
      await perform(task).catch((error: unknown) =>
        log.error({ ...task, reason: reasonOf(error) }, 'consumer task failed'),
      )
      await db.write([db.remove('consumer_tasks', KEY, [toRow(task)])])
    }
  }

  const run = (): Promise<void> => queue.run(runAll)
  return {
    async add(tasks) {
      await db.write([db.put('consumer_tasks', KEY, tasks.map(toRow))])
      await run()
    },
    run,
  }
}

/** Only the last move in a session counts, so moves share a key. */
function toRow({ consumer, session, kind, seq }: ConsumerTask): Row {
  return { consumer, session, letter: kind === 'retry' ? seq : 0, seq }
}

function fromRow(row: Row): ConsumerTask {
  const kind = Number(row['letter']) === 0 ? 'move' : 'retry'
  return { consumer: String(row['consumer']), session: String(row['session']), kind, seq: Number(row['seq']) }
}
