import { asFunction, definePlugin, T } from 'wamux/plugin'
import { helpOf } from './error-pages.ts'
import { createPages } from './page.ts'

const file = (contentMediaType: string) => T.Unknown({ contentMediaType })

/** Serves descriptions of the interface, generated from the route table. */
export default definePlugin({
  name: 'docs',
  version: '0.1.0',
  api: '^1.0.0',
  services: () => ({ pages: asFunction((kernel) => createPages(kernel)).singleton() }),
  contributes: { errorHelp: () => helpOf },
  routes: (r) => [
    r.get('/openapi.json', {
      summary: 'OpenAPI 3.1 description of all enabled routes and events',
      description: 'It describes the enabled plugins, including your own.',
      access: 'public',
      response: file('application/json'),
      handle: async (_, { pages }) => pages.get('openapi.json'),
    }),
    // Registered before the page's files, whose pattern also matches it.
    r.get('/docs/postman.json', {
      summary: 'Postman collection of all enabled routes',
      description: 'Import it into Postman, and set the variables `baseUrl`, `token` and `admintoken` there.',
      access: 'public',
      response: file('application/json'),
      handle: async (_, { pages }) => pages.get('postman.json'),
    }),
    r.get('/docs', {
      summary: 'Documentation page; works offline',
      description: 'Swagger UI of `/openapi.json`, and a table of the apps that show each kind of message.',
      access: 'public',
      response: file('text/html'),
      handle: async (_, { pages }) => pages.get('index.html'),
    }),
    r.get('/docs/:file', {
      // Of the site, also pages.
      ignoresUnknown: true,
      params: { file: 'init.js' },
      summary: 'Files of the documentation page, and the list of errors',
      description:
        'Scripts and styles of `GET /docs`; `errors` is the list of all errors. Pages of the documentation site, if it is built or installed.',
      access: 'public',
      response: file('application/octet-stream'),
      errors: ['ROUTE_UNKNOWN'],
      handle: async ({ params }, { pages }) => pages.get(params['file'] ?? ''),
    }),
    r.get('/docs/:folder/:file', {
      params: { folder: 'errors', file: 'FIELD_MISSING' },
      summary: 'The page about an error',
      description:
        'Meaning, cause and remedy of an error, to which the header `Link` of each error leads. Other pages of the documentation site, if it is built or installed.',
      access: 'public',
      response: file('text/html'),
      errors: ['ROUTE_UNKNOWN'],
      handle: async ({ params }, { pages }) => pages.below(params['folder'] ?? '', params['file'] ?? ''),
    }),
  ],
})
