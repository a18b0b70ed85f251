import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** The gateway about itself. */
export default definePlugin({
  name: 'server',
  version: '0.1.0',
  api: '^1.0.0',
  routes,
})
