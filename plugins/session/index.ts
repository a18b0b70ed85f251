import { asFunction, definePlugin } from 'wamux/plugin'
import { createDays } from './day.ts'
import { events, translate } from './events.ts'
import { createHistory } from './history.ts'
import { issuesOf } from './issues.ts'
import { metrics } from './metrics.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { adminRoutes, deleteRoutes } from './routes-admin.ts'
import { historyRoutes } from './routes-history.ts'
import { passkeyRoutes } from './routes-passkey.ts'
import { storageRoutes } from './routes-storage.ts'
import { summaryRoutes } from './routes-summary.ts'
import { tokenRoutes } from './routes-token.ts'
import { routes as settingsRoutes } from './settings/routes.ts'
import { createSettings } from './settings/settings.ts'
import { createStorage } from './storage.ts'
import { createSummaries } from './summaries.ts'

export type { SessionActivity, SessionBacklog, SessionBacklogs, SessionKeys } from './contract.ts'
export type {
  SessionSettings,
  SessionSettingsContribution,
  SettingFault,
  SettingValues,
} from './settings/contract.ts'

/** The life cycle of sessions: create, link, observe, delete; and the settings of plugins per session. */
export default definePlugin({
  name: 'session',
  version: '0.1.0',
  api: '^1.0.0',
  wants: ['outboxes', 'ownership', 'pace'],
  provides: ['sessionSettings'],
  // Not services: the plugins that deliver and that keep keys need this one.
  collects: ['sessionActivity', 'sessionBacklogs', 'sessionKeys', 'sessionSettings'],
  migrations,
  services: () => ({
    history: asFunction(createHistory)
      .singleton()
      .disposer((service) => service.stop()),
    days: asFunction(createDays).singleton(),
    storage: asFunction(createStorage).singleton(),
    summaries: asFunction(createSummaries).singleton(),
    sessionSettings: asFunction(createSettings)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes: (r) => [
    ...adminRoutes(r),
    ...routes(r),
    ...historyRoutes(r),
    ...storageRoutes(r),
    ...passkeyRoutes(r),
    ...tokenRoutes(r),
    ...settingsRoutes(r),
    ...summaryRoutes(r),
    ...deleteRoutes(r),
  ],
  events,
  translate,
  contributes: { metrics, issues: issuesOf },
  setup: ({ history }) => history.start(),
  ready: ({ sessionSettings }) => sessionSettings.start(),
})
