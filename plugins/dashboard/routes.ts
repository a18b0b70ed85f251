import { gatewayAddress, type Kernel, type Reply, type RouteBuilder, T } from 'wamux/plugin'
import type { Pages } from './pages.ts'

type Deps = Kernel<unknown> & {
  pages: Pages
  publicAddress?: { readonly url: string } | undefined
}

/** Every place in the dashboard has its own address; all of them serve the same document. */
const PLACES = {
  '/dashboard': 'The dashboard',
  '/dashboard/:screen': 'A screen of the dashboard',
  '/dashboard/:screen/:id': 'A screen of the dashboard about one item',
  '/dashboard/:screen/:id/:part': 'A screen of the dashboard about a part of one item',
}

export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/dashboard/assets/:file', {
    summary: 'Files of the dashboard',
    description: 'Scripts and styles of `GET /dashboard`.',
    access: 'public',
    errors: ['ROUTE_UNKNOWN', 'DASHBOARD_UNBUILT'],
    response: T.Unknown({ contentMediaType: 'application/octet-stream', description: 'The file' }),
    handle: ({ params, header }, { pages }) =>
      pages.assets.get(params['file'] ?? '', header('accept-encoding')),
  }),
  ...Object.entries(PLACES).map(([path, summary]) =>
    r.get(path, {
      summary,
      description:
        'For a browser. The document contains no session data: its script reads it with the login.',
      access: 'public',
      errors: ['DASHBOARD_UNBUILT'],
      response: T.Unknown({ contentMediaType: 'text/html', description: 'An HTML document' }),
      handle: ({ header }, { pages, publicAddress }): Promise<Reply> =>
        pages.document(gatewayAddress(publicAddress?.url ?? '', header).path),
    }),
  ),
]
