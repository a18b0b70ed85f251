import { pathToFileURL } from 'node:url'
import { definePlugin, T } from 'wamux/plugin'

/** Contributes something to each contract, for what lists and serves contributions. */
export const contributor = definePlugin({
  name: 'contributor',
  version: '1.0.0',
  api: '^1.0.0',
  contributes: {
    messageHooks: () => ({ beforeSend: () => undefined }),
    jobs: () => ({
      queues: { work: { handle: async () => undefined } },
      schedules: { daily: { cron: '0 3 * * *', run: async () => undefined } },
    }),
    sessionSettings: () => ({
      title: 'Contributor',
      schema: T.Object({ word: T.String({ default: 'Hello', description: 'A word' }) }),
    }),
    pages: () => ({
      folder: pathToFileURL(`${process.cwd()}/test/fixtures/auto-responder/page/`),
      page: { title: 'Contributor', element: 'auto-responder-page', script: 'page.js' },
    }),
  },
})
