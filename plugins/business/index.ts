import { asFunction, definePlugin } from 'wamux/plugin'
import { events, ofNewLink, ofSetting } from './events.ts'
import { migrations } from './migrations.ts'
import { createQuickReplies } from './quick-replies.ts'
import { catalogRoutes } from './routes-catalog.ts'
import { profileRoutes } from './routes-profile.ts'
import { quickReplyRoutes } from './routes-quick-replies.ts'
import { saleRoutes } from './routes-sale.ts'

/** Profiles, catalogues, orders and quick replies of business accounts. */
export default definePlugin({
  name: 'business',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['media', 'sender', 'targets'],
  migrations,
  services: () => ({ quickReplies: asFunction(createQuickReplies).singleton() }),
  routes: (r) => [...profileRoutes(r), ...catalogRoutes(r), ...saleRoutes(r), ...quickReplyRoutes(r)],
  events,
  translate: { setting: ofSetting, 'session.paired': ofNewLink },
})
