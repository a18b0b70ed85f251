import {
  type Assets,
  asFunction,
  createAssets,
  createInterval,
  definePlugin,
  type Interval,
  type Log,
} from 'wamux/plugin'
import { createAttempts } from './attempts.ts'
import { createCodes } from './codes.ts'
import { ConfigSchema } from './config.ts'
import { errors } from './errors.ts'
import { createLinkingWatch } from './linking-watch.ts'
import { createLinks, type Links } from './links.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { linkingRoutes } from './routes-linking.ts'
import { pageRoutes } from './routes-page.ts'
import { createVisits, KEEP_MS } from './visits.ts'

const HOUR_MS = 3_600_000

/** One-time links with which customers link an account without a token. */
export default definePlugin({
  name: 'link-page',
  version: '0.1.0',
  api: '^1.0.0',
  config: ConfigSchema,
  errors,
  wants: ['publicAddress', 'keys'],
  migrations,
  services: () => ({
    links: asFunction(createLinks).singleton(),
    watch: asFunction(createLinkingWatch)
      .singleton()
      .disposer((service) => service.stop()),
    codes: asFunction(createCodes).singleton(),
    attempts: asFunction(createAttempts).singleton(),
    visits: asFunction(createVisits).singleton(),
    files: asFunction(createFiles).singleton(),
    pruning: asFunction(createPruning)
      .singleton()
      .disposer((service) => service.stop()),
  }),
  routes: (r) => [...routes(r), ...linkingRoutes(r), ...pageRoutes(r)],
  on: { Connected: ({ session }, { links }) => links.finish(session) },
  async setup({ links, watch, pruning }) {
    await links.load()
    watch.start()
    pruning.start()
  },
})

/**
 * The files that the documents load: in a release next to the gateway's modules, in a checkout the build output of `web`.
 */
function createFiles(): Assets {
  const folders = ['../../link-page/', '../../build/link-page/'].map((path) => new URL(path, import.meta.url))
  return createAssets({ folders, unbuilt: 'LINK_PAGE_UNBUILT' })
}

function createPruning({ links, log }: { links: Links; log: Log }): Interval {
  return createInterval(
    HOUR_MS,
    () => links.prune(Date.now() - KEEP_MS),
    (error) => log.error({ err: error }, 'deleting old links failed'),
  )
}
