import { definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'

/** Health, version and plugins of the gateway. */
export default definePlugin({
  name: 'server',
  version: '0.1.0',
  api: '^1.0.0',
  routes,
})
