import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** The account's name, and a new read of all settings that its devices share. */
export default definePlugin({
  name: 'account-settings',
  version: '0.1.0',
  api: '^1.0.0',
  routes,
})
