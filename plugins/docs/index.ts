import { definePlugin } from 'wamux/plugin'
import { openApi } from './openapi.ts'
import { asset, page } from './page.ts'

/** The interface, described from the route table itself: it can't be out of date. */
export default definePlugin({
  name: 'docs',
  version: '0.1.0',
  api: '^1.0.0',
  routes: (r) => [
    r.get('/openapi.json', {
      summary: 'OpenAPI 3.1 description of everything that is enabled',
      access: 'public',
      handle: async (_, { describe }) =>
        page(JSON.stringify(openApi(describe())), 'application/json; charset=utf-8'),
    }),
    r.get('/docs', {
      summary: 'The same as a page; works offline',
      access: 'public',
      handle: async () => asset('index.html'),
    }),
    r.get('/docs/:file', {
      summary: 'Files of that page',
      access: 'public',
      handle: async ({ params }) => asset(params['file'] ?? ''),
    }),
  ],
})
