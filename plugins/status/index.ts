import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** Status posts: text, pictures and videos, for the account's contacts or for given recipients. */
export default definePlugin({
  name: 'status',
  version: '0.1.0',
  api: '^3.0.0',
  scope: 'send',
  needs: ['targets', 'sender', 'media'],
  wants: ['contacts'],
  routes,
})
