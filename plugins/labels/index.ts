import { asFunction, definePlugin } from 'wamux/plugin'
import { events, ofNewLink, ofSetting } from './events.ts'
import { createLabelStore } from './label-store.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { listRoutes } from './routes-list.ts'

/** Labels of business accounts: what they are on, creating them, and adding them to chats and messages. */
export default definePlugin({
  name: 'labels',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets'],
  migrations,
  services: () => ({ labelStore: asFunction(createLabelStore).singleton() }),
  routes: (r) => [...listRoutes(r), ...routes(r)],
  events,
  translate: { setting: ofSetting, 'session.paired': ofNewLink },
})
