import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** The network's bots: which there are, and asking them. */
export default definePlugin({
  name: 'bots',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['sender'],
  routes,
})
