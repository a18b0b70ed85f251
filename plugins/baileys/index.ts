import './before.ts'
import { readFileSync } from 'node:fs'
import { asValue, definePlugin, T } from 'wamux/plugin'
import { quietSignal } from './console.ts'
import { createDriver } from './driver.ts'
import { migrations } from './migrations.ts'
import { createNetworkChoice } from './network.ts'
import { readCard } from './network-card.ts'
import { selfTest } from './selftest.ts'
import { wire } from './wire.ts'

export type * from './types.ts'

/** The one driver: Baileys, mended at its public seams. */
export default definePlugin({
  name: 'baileys',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    log: T.String({ default: 'silent', description: "Level of Baileys' own log lines" }),
    keepAliveMs: T.Integer({
      default: 20_000,
      minimum: 1000,
      description: 'Milliseconds between pings; silence of that and 5 s more closes a link',
    }),
    queryTimeoutMs: T.Integer({
      default: 20_000,
      minimum: 100,
      description: 'Milliseconds until a query counts as unanswered',
    }),
    ackTimeoutMs: T.Integer({
      default: 30_000,
      minimum: 100,
      description: 'Milliseconds until a message counts as unanswered',
    }),
    cacheBytes: T.Integer({
      default: 8_388_608,
      minimum: 65_536,
      description: 'Bytes of Signal keys kept in memory for each session',
    }),
    network: T.Optional(
      T.String({ description: 'Card file of a local network to connect to instead of WhatsApp' }),
    ),
  }),
  provides: ['driver', 'wire', 'dial'],
  migrations,
  services: ({ config, db, events }) => {
    const choice = createNetworkChoice()
    if (config.network) choice.dial.use(readCard(readFileSync(config.network, 'utf8')))
    return {
      choice: asValue(choice),
      wire: asValue(wire),
      dial: asValue(choice.dial),
      driver: asValue(createDriver({ db, events, config, network: choice.current })),
    }
  },
  setup: async () => {
    quietSignal()
    selfTest()
  },
  close: ({ choice }) => choice.close(),
})
