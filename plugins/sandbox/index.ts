import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asClass, definePlugin, T } from 'wamux/plugin'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { chatRoutes } from './routes-chats.ts'
import { clockRoutes } from './routes-clock.ts'
import { messageRoutes } from './routes-messages.ts'
import { networkRoutes } from './routes-network.ts'
import { passkeyRoutes } from './routes-passkey.ts'
import { streamRoutes } from './routes-stream.ts'
import { Sandbox } from './sandbox.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    sandbox: Sandbox
  }
}

/** A local WhatsApp network with simulated phones, for development and tests without a device or the internet. */
export default definePlugin({
  name: 'sandbox',
  version: '0.1.0',
  api: '^1.0.0',
  config: T.Object({
    port: T.Integer({
      default: 0,
      minimum: 0,
      maximum: 65535,
      description: 'Port of the network; 0 picks a free one',
    }),
    mediaPort: T.Integer({
      default: 0,
      minimum: 0,
      maximum: 65535,
      description: 'Port of its media host; 0 picks a free one',
    }),
    keep: T.Boolean({
      default: false,
      description: 'Store the network in the data folder, so that it survives a restart',
    }),
  }),
  needs: ['wire', 'dial'],
  wants: ['httpClient', 'sender'],
  provides: ['sandbox'],
  migrations,
  services: () => ({
    sandbox: asClass(Sandbox)
      .singleton()
      .disposer((service) => service.close()),
  }),
  routes: (r) => [
    ...routes(r),
    ...messageRoutes(r),
    ...chatRoutes(r),
    ...streamRoutes(r),
    ...passkeyRoutes(r),
    ...networkRoutes(r),
    ...clockRoutes(r),
  ],
  setup: async ({ sandbox, dial, settings, log }) => {
    await sandbox.open()
    const card = sandbox.card()
    dial.use(card)
    const file = join(settings.dataDir, 'network.json')
    writeFileSync(file, JSON.stringify({ ...card, rootKey: card.rootKey.toString('base64') }), {
      mode: 0o600,
    })
    log.info({ url: card.url, card: file }, 'local network started; no message leaves this machine')
  },
})
