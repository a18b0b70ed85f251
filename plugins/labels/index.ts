import { definePlugin } from 'wamux/plugin'
import { events, ofSetting } from './events.ts'
import { routes } from './routes.ts'

/** Labels of business accounts: creating them, and adding them to chats and messages. */
export default definePlugin({
  name: 'labels',
  version: '0.1.0',
  api: '^3.0.0',
  needs: ['targets'],
  routes,
  events,
  translate: { setting: ofSetting },
})
