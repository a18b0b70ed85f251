import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, node } from 'wamux/messaging'
import { createKeyedQueue, gatewayError, type LiveSession, type Static } from 'wamux/plugin'
import { EMPTY, fieldsOf, type GivenProduct, type Product, toNode, toProduct } from './product.ts'
import { query } from './query.ts'
import { text, words } from './stanza.ts'

type Shown = Static<typeof Product>

const XMLNS = 'w:biz:catalog'
const PAGE = 100
/** The item named by a 404 about a product. */
const PRODUCT = 'Product'

/** Size of the preview pictures; responses contain the original ones. */
const size = [words('width', '100'), words('height', '100')]

interface Page {
  products: BinaryNode[]
  /** Cursor of the next page; '' on the last. */
  after: string
}

/** @param about the item that ITEM_UNKNOWN names if the network has no such catalogue. */
export async function readPage(
  session: LiveSession,
  jid: string,
  { limit = PAGE, after = '', about = `Catalogue of ${jid}` } = {},
): Promise<Page> {
  const reply = await query(session, {
    xmlns: XMLNS,
    type: 'get',
    content: node('product_catalog', { jid, allow_shop_source: 'true' }, [
      words('limit', String(limit)),
      ...size,
      ...(after ? [words('after', after)] : []),
    ]),
    verb: 'read the catalogue',
    item: about,
  })
  const catalog = child(reply, 'product_catalog')
  return { products: children(catalog, 'product'), after: text(child(catalog, 'paging'), 'after') }
}

export async function findProduct(session: LiveSession, jid: string, id: string): Promise<BinaryNode> {
  let after = ''
  do {
    const page = await readPage(session, jid, { after, about: PRODUCT })
    const found = page.products.find((product) => text(product, 'id') === id)
    if (found) return found
    // A repeated cursor would cause an endless loop.
    after = page.after === after ? '' : page.after
  } while (after)
  throw gatewayError('ITEM_UNKNOWN', [PRODUCT])
}

export async function createProduct(session: LiveSession, given: Partial<GivenProduct>): Promise<Shown> {
  return change(
    session,
    'product_catalog_add',
    toNode({ ...EMPTY, ...given }),
    'create the product',
    'Catalogue',
  )
}

const changes = createKeyedQueue()

/** Changes the fields that `give` returns for the current product. Changes of one product are serialized. */
export async function editProduct(
  session: LiveSession,
  id: string,
  give: (now: GivenProduct) => Promise<Partial<GivenProduct>> | Partial<GivenProduct>,
): Promise<Shown> {
  return changes.run(`${session.id} ${id}`, async () => {
    const now = fieldsOf(await findProduct(session, session.jid, id))
    const next = toNode({ ...now, ...(await give(now)) }, id)
    return change(session, 'product_catalog_edit', next, 'change the product', PRODUCT)
  })
}

/** Returns the number of deleted products. Rejects ITEM_UNKNOWN if there was none. */
export async function deleteProducts(session: LiveSession, ids: readonly string[]): Promise<number> {
  const tag = 'product_catalog_delete'
  const reply = await query(session, {
    xmlns: XMLNS,
    type: 'set',
    content: node(
      tag,
      { v: '1' },
      ids.map((id) => node('product', {}, [words('id', id)])),
    ),
    verb: 'delete the product',
    item: PRODUCT,
  })
  const deleted = Number(child(reply, tag)?.attrs['deleted_count'] ?? 0)
  if (deleted === 0) throw gatewayError('ITEM_UNKNOWN', [PRODUCT])
  return deleted
}

async function change(
  session: LiveSession,
  tag: string,
  product: BinaryNode,
  verb: string,
  item: string,
): Promise<Shown> {
  const content = node(tag, { v: '1' }, [product, ...size])
  const reply = await query(session, { xmlns: XMLNS, type: 'set', content, verb, item })
  const changed = child(child(reply, tag), 'product')
  if (!changed) throw gatewayError('NETWORK_FAILED', [verb, 'the answer contains no product'])
  return toProduct(changed)
}
