import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** What the account's devices share, beside chats, labels and contacts: its name, and the reading of it all. */
export default definePlugin({
  name: 'account-settings',
  version: '0.1.0',
  api: '^1.0.0',
  routes,
})
