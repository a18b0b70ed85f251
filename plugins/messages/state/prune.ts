import type { Log, PluginDb } from 'wamux/plugin'
import type { MessagesConfig } from '../config.ts'

/** Drops what is older than it is kept: at start and every hour. */
export interface Pruning {
  start(): void
  stop(): void
}

interface Deps {
  db: PluginDb
  config: MessagesConfig
  log: Log
}

const HOUR_MS = 3_600_000

export function createPruning({ db, config, log }: Deps): Pruning {
  let timer: NodeJS.Timeout | undefined

  async function prune(): Promise<void> {
    const before = Date.now() - Math.round(config.keepDays * 24 * HOUR_MS)
    await db.transact(async (trx) => {
      for (const table of ['states', 'polls', 'reuploads'])
        await trx(db.table(table)).where('logged', '<', before).del()
    })
  }
  const run = (): void => {
    prune().catch((error: unknown) => log.error({ err: error }, 'dropping old states failed'))
  }

  return {
    start() {
      run()
      timer = setInterval(run, HOUR_MS)
    },
    stop: () => clearInterval(timer),
  }
}
