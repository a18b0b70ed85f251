import {
  asFunction,
  definePlugin,
  type GatewayServices,
  type LogEvent,
  type Metric,
  type Write,
} from 'wamux/plugin'
import { ConfigSchema } from './config.ts'
import { createLinks, type MediaLinks } from './links.ts'
import { migrations } from './migrations.ts'
import { routes } from './routes.ts'
import { createStoredFiles, type StoredFiles } from './stored-files.ts'

const metrics = ({ storedFiles: { counts } }: { storedFiles: StoredFiles }) =>
  ({
    wamux_media_stored_total: {
      type: 'counter',
      help: 'Received files that were stored',
      collect: () => counts.stored,
    },
    wamux_media_stored_bytes_total: {
      type: 'counter',
      help: 'Their bytes, as received',
      collect: () => counts.bytes,
    },
    wamux_media_store_failures_total: {
      type: 'counter',
      help: 'Tries to store a file that have failed',
      collect: () => counts.failures,
    },
  }) satisfies Record<string, Metric>

export type { MediaStore } from './contract.ts'

/** Stores received files as they come, encrypted, and puts links to them into events. */
export default definePlugin({
  name: 'media-store',
  version: '0.1.0',
  api: '^1.0.0',
  needs: ['attachments', 'jobs', 'publicAddress'],
  collects: ['mediaStores'],
  config: ConfigSchema,
  migrations,
  services: () => ({
    links: asFunction(createLinks).singleton(),
    storedFiles: asFunction(createStoredFiles).singleton(),
  }),
  decorates: {
    attachments: (next, { config, links }) => withLinks(next, links, config.inline),
  },
  contributes: {
    metrics,
    jobs: ({ storedFiles, config }) => ({
      schedules: { retention: { everySeconds: config.pruneSeconds, run: () => storedFiles.prune() } },
    }),
  },
  consume: {
    types: ['Message'],
    isPerSession: true,
    batch: 20,
    // About six minutes: the media host, not the store, has failed so often.
    deadLetter: { after: 20 },
    async handle(events: readonly LogEvent[], { storedFiles }) {
      const writes: Write[] = []
      for (const event of events) writes.push(...(await storedFiles.store(event)))
      return writes
    },
  },
  routes,
  async ready({ storedFiles }) {
    storedFiles.check()
  },
})

type Attachments = GatewayServices['attachments']

/** Its links lead to the store. */
function withLinks(next: Attachments, links: MediaLinks, isInline: boolean): Attachments {
  const link: Attachments['link'] = (event) => {
    const file = next.link(event)
    return 'mediaUrl' in file ? { ...file, mediaUrl: links.make(event) } : file
  }
  return {
    ...next,
    link,
    async attach(event) {
      if (!isInline) return link(event)
      const file = await next.attach(event)
      return 'mediaUrl' in file ? { ...file, mediaUrl: links.make(event) } : file
    },
  }
}
