import { asFunction, definePlugin, T } from 'wamux/plugin'
import { createHttp, type Http } from './http.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    http: Http
  }
}

/** The one way out to addresses that users give: guarded and bounded. */
export default definePlugin({
  name: 'http',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    httpsOnly: T.Boolean({ default: false, description: 'Refuse plain http' }),
  }),
  provides: ['http'],
  services: () => ({ http: asFunction(createHttp).singleton() }),
  close: ({ http }) => http.close(),
})
