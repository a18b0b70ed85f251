import { asFunction, definePlugin } from 'wamux/plugin'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { createSettings } from './settings.ts'

export type { SessionSettings, SessionSettingsContribution } from './contract.ts'

/** Settings of plugins that each session has for itself, with their routes and descriptions. */
export default definePlugin({
  name: 'session-settings',
  version: '0.1.0',
  api: '^1.3.0',
  wants: ['ownership'],
  provides: ['sessionSettings'],
  collects: ['sessionSettings'],
  migrations,
  services: () => ({ sessionSettings: asFunction(createSettings).singleton() }),
  routes,
  ready: ({ sessionSettings }) => sessionSettings.start(),
  close: async ({ sessionSettings }) => sessionSettings.stop(),
})
