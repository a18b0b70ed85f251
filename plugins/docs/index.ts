import { asFunction, definePlugin, T } from 'wamux/plugin'
import { createPages } from './page.ts'

const File = T.Unknown({ description: 'The file itself, outside the envelope' })

/** The interface, described from the route table itself: it can't be out of date. */
export default definePlugin({
  name: 'docs',
  version: '0.1.0',
  api: '^1.0.0',
  services: () => ({ pages: asFunction(createPages).singleton() }),
  routes: (r) => [
    r.get('/openapi.json', {
      summary: 'OpenAPI 3.1 description of everything that is enabled',
      access: 'public',
      response: File,
      handle: async (_, { pages }) => pages.get('openapi.json'),
    }),
    // Before the page's files: their pattern matches it too.
    r.get('/docs/postman.json', {
      summary: 'The same as a Postman collection',
      access: 'public',
      response: File,
      handle: async (_, { pages }) => pages.get('postman.json'),
    }),
    r.get('/docs', {
      summary: 'The same as a page; works offline',
      access: 'public',
      response: File,
      handle: async (_, { pages }) => pages.get('index.html'),
    }),
    r.get('/docs/:file', {
      summary: 'Files of that page',
      access: 'public',
      response: File,
      handle: async ({ params }, { pages }) => pages.get(params['file'] ?? ''),
    }),
  ],
})
