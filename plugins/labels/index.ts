import { definePlugin } from 'wamux/plugin'
import { events, ofSetting } from './events.ts'
import { routes } from './routes.ts'

/** Labels of business accounts: on chats, on messages, and the labels themselves. */
export default definePlugin({
  name: 'labels',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['targets'],
  routes,
  events,
  translate: { setting: ofSetting },
})
