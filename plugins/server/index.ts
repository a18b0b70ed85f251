import { definePlugin, T } from 'wamux/plugin'

/** The gateway about itself. */
export default definePlugin({
  name: 'server',
  version: '0.1.0',
  api: '^1.0.0',
  routes: (r) => [
    r.get('/server/ok', {
      summary: 'Health: answers as soon as the gateway listens',
      access: 'public',
      response: T.Object({ status: T.String(), Details: T.String() }),
      handle: async () => ({ status: 'ok', Details: 'Server is up' }),
    }),
    r.post('/server/license', {
      summary: 'Licence status; wamux is free and asks no licence server',
      access: 'admin',
      response: T.Object({
        Licensed: T.Boolean(),
        Status: T.String(),
        Expiration: T.Null(),
        Version: T.String(),
      }),
      handle: async (_, { settings }) => ({
        Licensed: true,
        Status: 'active',
        Expiration: null,
        Version: settings.version,
      }),
    }),
    r.get('/server/update', {
      summary: 'The running version; the gateway never updates itself',
      access: 'admin',
      adminInQuery: true,
      response: T.Object({
        CurrentVersion: T.String(),
        LatestVersion: T.Null(),
        UpdateAvailable: T.Boolean(),
        Details: T.String(),
      }),
      handle: async (_, { settings }) => ({
        CurrentVersion: settings.version,
        LatestVersion: null,
        UpdateAvailable: false,
        Details: 'wamux does not look for updates by itself; see its change log',
      }),
    }),
  ],
})
