import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** Lists the network's bots and sends questions to them. */
export default definePlugin({
  name: 'bots',
  version: '0.1.0',
  api: '^1.0.0',
  scope: 'send',
  needs: ['sender'],
  routes,
})
