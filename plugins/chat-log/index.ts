import { asFunction, createKeyedQueue, definePlugin } from 'wamux/plugin'
import { createBackfill } from './backfill.ts'
import { createChats } from './chats.ts'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { markRead } from './mark-read.ts'
import { createMessages } from './messages.ts'
import { migrations } from './migrations.ts'
import { createPruning } from './prune.ts'
import { record, TYPES } from './record.ts'
import { routes } from './routes.ts'

/** Chats and messages read back from the log. */
export default definePlugin({
  name: 'chat-log',
  version: '0.1.0',
  api: '^1.3.0',
  config: ConfigSchema,
  needs: ['targets'],
  wants: ['attachments', 'contacts', 'ownership'],
  // A call that was refused has read nothing.
  after: ['audit'],
  errors,
  migrations,
  services: () => ({
    messages: asFunction(createMessages).singleton(),
    chats: asFunction(createChats).singleton(),
    searches: asFunction(createKeyedQueue).singleton(),
    backfill: asFunction(createBackfill).singleton(),
    pruning: asFunction(createPruning).singleton(),
  }),
  routes,
  around: markRead,
  consume: { types: TYPES, handle: record },
  async ready({ backfill, pruning }) {
    await backfill.start()
    pruning.start()
  },
  async close({ backfill, pruning }) {
    backfill.stop()
    await pruning.stop()
  },
})
