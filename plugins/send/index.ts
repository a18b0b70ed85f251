import { asValue, definePlugin } from 'wamux/plugin'
import { routes } from './routes.ts'
import { richRoutes } from './routes-rich.ts'
import { type Targets, toChat, toUser } from './target.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    targets: Targets
  }
}

/** Sending: text, files, places, cards, polls. */
export default definePlugin({
  name: 'send',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['media'],
  provides: ['targets'],
  services: () => ({ targets: asValue({ toChat, toUser }) }),
  routes: (r) => [...routes(r), ...richRoutes(r)],
})
