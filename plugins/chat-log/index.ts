import {
  asFunction,
  createInterval,
  createKeyedQueue,
  definePlugin,
  type ExplainedErrorRow,
  type Interval,
  type Kernel,
} from 'wamux/plugin'
import { createBackfill } from './backfill.ts'
import { createChats } from './chats.ts'
import { ConfigSchema } from './config.ts'
import { markRead } from './mark-read.ts'
import { createMessages } from './messages.ts'
import { migrations } from './migrations.ts'
import { record, TYPES } from './record.ts'
import { routes } from './routes.ts'

type Deps = Pick<Kernel<unknown>, 'db' | 'events' | 'log' | 'sessions'>

const HOUR_MS = 3_600_000

/** Deletes the rows of log lines dropped by retention, at start and every hour. */
function createPruning({ db, events, log, sessions }: Deps): Interval {
  async function prune(): Promise<void> {
    for (const { id: session } of await sessions.list()) {
      const { dropped } = await events.bounds(session)
      if (dropped === 0) continue
      await db.prune('messages', (query) => query.where({ session }).where('seq', '<=', dropped))
      await db.prune('shared', (query) => query.where({ session }).where('seq', '<=', dropped))
      await db.prune('chats', (query) => query.where({ session }).where('last_seq', '<=', dropped))
    }
  }
  return createInterval(HOUR_MS, prune, (error) => log.error({ err: error }, 'pruning of chats failed'))
}

const errors = {
  CHAT_UNKNOWN: [
    404,
    'No message of this chat is in the log',
    {
      meaning: 'The log has no message of this chat.',
      cause: 'Nothing was sent or received since the plugin chat-log was enabled, or the address is wrong.',
      remedy: 'Check the address; earlier messages are there only if the phone shared its history.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Chats and messages read back from the log. */
export default definePlugin({
  name: 'chat-log',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  needs: ['targets'],
  wants: ['attachments', 'chatTimers', 'contacts', 'ownership'],
  errors,
  migrations,
  services: () => ({
    messages: asFunction(createMessages).singleton(),
    chats: asFunction(createChats).singleton(),
    searches: asFunction(createKeyedQueue).singleton(),
    backfill: asFunction(createBackfill)
      .singleton()
      .disposer((service) => service.stop()),
    pruning: asFunction(createPruning)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes,
  translate: { 'messages.read': markRead },
  consume: { types: TYPES, handle: record },
  async ready({ backfill, pruning }) {
    await backfill.start()
    pruning.start()
  },
})
