import { asFunction, definePlugin, T } from 'wamux/plugin'
import { createPages } from './page.ts'

const File = T.Unknown({ description: 'The file itself, outside the envelope' })

/** Serves descriptions of the interface that are generated from the route table. */
export default definePlugin({
  name: 'docs',
  version: '0.1.0',
  api: '^1.0.0',
  services: () => ({ pages: asFunction(createPages).singleton() }),
  routes: (r) => [
    r.get('/openapi.json', {
      summary: 'OpenAPI 3.1 description of all enabled routes and events',
      access: 'public',
      response: File,
      handle: async (_, { pages }) => pages.get('openapi.json'),
    }),
    // Before the page's files, whose pattern matches it too.
    r.get('/docs/postman.json', {
      summary: 'Postman collection of all enabled routes',
      access: 'public',
      response: File,
      handle: async (_, { pages }) => pages.get('postman.json'),
    }),
    r.get('/docs', {
      summary: 'Documentation page; works offline',
      access: 'public',
      response: File,
      handle: async (_, { pages }) => pages.get('index.html'),
    }),
    r.get('/docs/:file', {
      summary: 'Files of the documentation page',
      access: 'public',
      response: File,
      handle: async ({ params }, { pages }) => pages.get(params['file'] ?? ''),
    }),
  ],
})
