import { asFunction, definePlugin, type PluginDb } from 'wamux/plugin'

declare module 'wamux/plugin' {
  interface GatewayServices {
    keysProbe: { db: PluginDb }
  }
}

/** Reads and changes the table of keys as another process may. */
export const keysProbe = definePlugin({
  name: 'keys-probe',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['keysProbe'],
  services: () => ({ keysProbe: asFunction(({ db }: { db: PluginDb }) => ({ db })).singleton() }),
})
