import { definePlugin, T } from 'wamux/plugin'
import { openApi } from './openapi.ts'
import { asset, page } from './page.ts'
import { postman } from './postman.ts'

const File = T.Unknown({ description: 'The file itself, outside the envelope' })

/** The interface, described from the route table itself: it can't be out of date. */
export default definePlugin({
  name: 'docs',
  version: '0.1.0',
  api: '^1.0.0',
  routes: (r) => [
    r.get('/openapi.json', {
      summary: 'OpenAPI 3.1 description of everything that is enabled',
      access: 'public',
      response: File,
      handle: async (_, { describe }) =>
        page(JSON.stringify(openApi(describe())), 'application/json; charset=utf-8'),
    }),
    // Before the page's files: their pattern matches it too.
    r.get('/docs/postman.json', {
      summary: 'The same as a Postman collection',
      access: 'public',
      response: File,
      handle: async (_, { describe }) =>
        page(JSON.stringify(postman(describe())), 'application/json; charset=utf-8'),
    }),
    r.get('/docs', {
      summary: 'The same as a page; works offline',
      access: 'public',
      response: File,
      handle: async () => asset('index.html'),
    }),
    r.get('/docs/:file', {
      summary: 'Files of that page',
      access: 'public',
      response: File,
      handle: async ({ params }) => asset(params['file'] ?? ''),
    }),
  ],
})
