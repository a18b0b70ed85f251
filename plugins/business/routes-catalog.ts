import { Done } from 'wamux/messaging'
import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { BusinessJid, toBusiness } from './business-jid.ts'
import { createProduct, deleteProducts, editProduct, findProduct, readPage } from './catalog.ts'
import { Collection, readCollections } from './collections.ts'
import { Product, toProduct } from './product.ts'
import { changes, id, newProduct } from './product-input.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'targets' | 'media'>

export const catalogRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/business/catalog/list', {
    ignoresUnknown: true,
    summary: 'List the products of a business',
    description: 'Without `jid` the own catalogue. Pass `Paging.After` as `after` to get the next page.',
    example: { limit: 10 },
    scope: 'read',
    body: T.Object({
      jid: BusinessJid,
      after: T.Optional(
        T.String({ minLength: 1, maxLength: 4096, description: 'Paging.After of the previous page' }),
      ),
      limit: T.Optional(
        T.Integer({ minimum: 0, maximum: 100, description: 'Products per page; 10 when absent or 0' }),
      ),
    }),
    response: T.Object({
      Products: T.Array(Product),
      Paging: T.Object({ After: T.String({ description: 'Empty on the last page' }) }),
    }),
    handle: async ({ body: { jid, after, limit }, session }, { targets }) => {
      const paging = { after, limit: limit || 10 }
      const page = await readPage(session, await toBusiness(session, targets, jid), paging)
      return { Products: page.products.map(toProduct), Paging: { After: page.after } }
    },
  }),
  r.post('/business/catalog/collections', {
    summary: 'List the collections of a catalogue',
    description:
      'Products that the business shows together. Without `jid`, the collections of the own catalogue.',
    example: { limit: 10 },
    scope: 'read',
    body: T.Object({
      jid: BusinessJid,
      limit: T.Optional(
        T.Integer({ minimum: 1, maximum: 100, description: 'At most so many; 51 when absent' }),
      ),
      products: T.Optional(
        T.Integer({ minimum: 1, maximum: 100, description: 'At most so many of each; 51 when absent' }),
      ),
    }),
    response: T.Object({ Collections: T.Array(Collection) }),
    handle: async ({ body: { jid, limit = 51, products = 51 }, session }, { targets }) => {
      const business = await toBusiness(session, targets, jid)
      return { Collections: await readCollections(session, business, { limit, products }) }
    },
  }),
  r.post('/business/catalog/info', {
    ignoresUnknown: true,
    summary: 'Read one product',
    description: 'Without `jid` a product of the own catalogue.',
    example: { id: '7042371865887654' },
    scope: 'read',
    body: T.Object({ jid: BusinessJid, id }),
    response: Product,
    handle: async ({ body, session }, { targets }) =>
      toProduct(await findProduct(session, await toBusiness(session, targets, body.jid), body.id)),
  }),
  r.post('/business/catalog/create', {
    ignoresUnknown: true,
    leaves: ['business'],
    summary: 'Add a product to your catalogue',
    description: 'The answer has its id for the other calls.',
    example: { name: 'Bread', description: 'Baked today', price: 1000, currency: 'BRL' },
    chain: { saves: { newProduct: 'ID' } },
    body: T.Object(newProduct),
    response: Product,
    handle: async ({ body, session }, { media }) =>
      createProduct(session, await changes(session, media, body)),
  }),
  r.post('/business/catalog/edit', {
    ignoresUnknown: true,
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Change a product; absent fields are not changed',
    description: 'The product is read first, so that absent fields keep their values.',
    example: { id: '7042371865887654', price: 1200 },
    body: T.Object({ id, ...T.Partial(T.Object(newProduct)).properties }),
    response: Product,
    handle: async ({ body: { id: product, ...given }, session }, { media }) =>
      editProduct(session, product, (now) => changes(session, media, given, now)),
  }),
  r.post('/business/catalog/hide', {
    ignoresUnknown: true,
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Hide a product',
    description: 'It stays in the catalogue, where only the owner sees it.',
    example: { id: '7042371865887654' },
    body: T.Object({ id }),
    response: Done,
    handle: async ({ body, session }) => {
      await editProduct(session, body.id, () => ({ isHidden: true }))
      return { Details: 'Product hidden' }
    },
  }),
  r.post('/business/catalog/show', {
    ignoresUnknown: true,
    leaves: ['business'],
    isIdempotent: true,
    summary: 'Make a product visible',
    description: 'Undoes `POST /business/catalog/hide`.',
    example: { id: '7042371865887654' },
    body: T.Object({ id }),
    response: Done,
    handle: async ({ body, session }) => {
      await editProduct(session, body.id, () => ({ isHidden: false }))
      return { Details: 'Product shown' }
    },
  }),
  r.post('/business/catalog/delete', {
    ignoresUnknown: true,
    leaves: ['business'],
    isDestructive: true,
    summary: 'Delete products',
    description: 'One by `id`, or several by `ids`.',
    example: { id: '6912345678901234' },
    chain: { uses: { id: 'newProduct' } },
    body: T.Object({
      id: T.Optional(id),
      ids: T.Optional(T.Array(id, { minItems: 1, maxItems: 100, description: 'Instead: several' })),
    }),
    response: T.Object({ Details: T.String(), Deleted: T.Integer() }),
    handle: async ({ body, session }) => {
      const ids = [...new Set([...(body.id ? [body.id] : []), ...(body.ids ?? [])])]
      if (ids.length === 0) throw gatewayError('FIELD_MISSING', ['id'])
      return { Deleted: await deleteProducts(session, ids), Details: 'Product deleted' }
    },
  }),
]
