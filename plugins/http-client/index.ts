import { asFunction, definePlugin, T } from 'wamux/plugin'
import { createHttpClient, type HttpClient } from './http-client.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    httpClient: HttpClient
  }
}

/** The only client for addresses given by users: guarded against private addresses, with time and size limits. */
export default definePlugin({
  name: 'http-client',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    httpsOnly: T.Boolean({ default: false, description: 'Refuse plain http' }),
  }),
  provides: ['httpClient'],
  services: () => ({
    httpClient: asFunction(createHttpClient)
      .singleton()
      .disposer((service) => service.close()),
  }),
})
