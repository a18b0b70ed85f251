import { asFunction, definePlugin } from 'wamux/plugin'
import { migrations } from './migrations.ts'
import { createPosts, createPruning } from './posts.ts'
import { routes } from './routes.ts'
import { listRoutes } from './routes-list.ts'
import { events, ofMute, ofOwn, ofRead, ofReceipt } from './translate.ts'

/** Status posts: own ones with their audience and viewers, and those of the account's contacts. */
export default definePlugin({
  name: 'status',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  needs: ['targets', 'sender', 'media', 'markRead'],
  wants: ['contacts'],
  migrations,
  services: () => ({
    posts: asFunction(createPosts).singleton(),
    pruning: asFunction(createPruning)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes: (r) => [...routes(r), ...listRoutes(r)],
  events,
  translate: {
    message: ofOwn,
    'message.sent': ofOwn,
    receipt: ofReceipt,
    'messages.read': ofRead,
    setting: ofMute,
  },
  async setup({ pruning }) {
    pruning.start()
  },
})
