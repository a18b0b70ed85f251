import { type Static, T } from 'wamux/plugin'

export const ConfigSchema = T.Object({
  url: T.Optional(
    T.String({
      description:
        'Proxy of every session without its own, for example socks5://user:password@proxy.example:1080',
    }),
  ),
  timeoutMs: T.Integer({
    default: 10_000,
    minimum: 100,
    maximum: 120_000,
    description: 'Milliseconds within which a proxy must open a connection',
  }),
})

export type ProxyConfig = Static<typeof ConfigSchema>
