import { definePlugin } from 'wamux/plugin'
import { catalogRoutes } from './routes-catalog.ts'
import { profileRoutes } from './routes-profile.ts'
import { saleRoutes } from './routes-sale.ts'

/** Profiles, catalogues and orders of business accounts. */
export default definePlugin({
  name: 'business',
  version: '0.1.0',
  api: '^3.0.0',
  needs: ['media', 'sender', 'targets'],
  routes: (r) => [...profileRoutes(r), ...catalogRoutes(r), ...saleRoutes(r)],
})
