import { asFunction, createInterval, definePlugin, type Interval, type Log } from 'wamux/plugin'
import { createAttempts } from './attempts.ts'
import { createCodes } from './codes.ts'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { createFiles } from './files.ts'
import { createLinkingWatch } from './linking-watch.ts'
import { createLinks, type Links } from './links.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { linkingRoutes } from './routes-linking.ts'
import { pageRoutes } from './routes-page.ts'
import { createVisits, KEEP_MS } from './visits.ts'

const HOUR_MS = 3_600_000

/** A one-time link with which a customer links an account, without a token. */
export default definePlugin({
  name: 'link-page',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  errors,
  wants: ['publicAddress'],
  migrations,
  services: () => ({
    links: asFunction(createLinks).singleton(),
    watch: asFunction(createLinkingWatch).singleton(),
    codes: asFunction(createCodes).singleton(),
    attempts: asFunction(createAttempts).singleton(),
    visits: asFunction(createVisits).singleton(),
    files: asFunction(createFiles).singleton(),
    pruning: asFunction(createPruning).singleton(),
  }),
  routes: (r) => [...routes(r), ...linkingRoutes(r), ...pageRoutes(r)],
  on: { Connected: ({ session }, { links }) => links.finish(session) },
  async setup({ links, watch, pruning }) {
    await links.load()
    watch.start()
    pruning.start()
  },
  async close({ watch, pruning }) {
    watch.stop()
    await pruning.stop()
  },
})

function createPruning({ links, log }: { links: Links; log: Log }): Interval {
  return createInterval(
    HOUR_MS,
    () => links.prune(Date.now() - KEEP_MS),
    (error) => log.error({ err: error }, 'deleting old links failed'),
  )
}
