import { asFunction, definePlugin, type ExplainedErrorRow, type Kernel } from 'wamux/plugin'
import { DIRECT, parseProxy } from './address.ts'
import { ConfigSchema, type ProxyConfig } from './config.ts'
import { migrations } from './migrations.ts'
import { createProxies, type Proxies } from './proxies.ts'
import { routes } from './routes.ts'

const errors = {
  PROXY_FAILED: [
    502,
    'The proxy %s did not open a connection: %s',
    {
      meaning: 'The proxy of the session did not open a connection.',
      cause: 'Its address, user or password is wrong, or it is down.',
      remedy: 'Correct it with `POST /session/proxy`.',
    },
  ],
} as const satisfies Record<string, ExplainedErrorRow>

type Errors = typeof errors

declare module 'wamux/plugin' {
  interface GatewayErrors extends Errors {}
}

/** Connects sessions through proxies, WebSocket and files alike, and never bypasses them. */
export default definePlugin({
  name: 'proxy',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['httpClient'],
  provides: ['egress'],
  scope: 'manage',
  config: ConfigSchema,
  errors,
  migrations,
  services: ({ config }: Kernel<ProxyConfig>) => {
    if (config.url && config.url !== DIRECT) parseProxy(config.url, 'proxy.url')
    return {
      proxies: asFunction(createProxies).singleton(),
      egress: asFunction(({ proxies }: { proxies: Proxies }) => proxies).singleton(),
    }
  },
  routes,
})
