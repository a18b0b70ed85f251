import { child, children, node } from 'wamux/messaging'
import { type LiveSession, type Static, T } from 'wamux/plugin'
import { Product, toProduct } from './product.ts'
import { query } from './query.ts'
import { text, words } from './stanza.ts'

export const Collection = T.Object(
  {
    ID: T.String(),
    Name: T.String(),
    ReviewStatus: T.String({ description: 'PENDING, APPROVED or REJECTED' }),
    Products: T.Array(Product),
  },
  { title: 'Collection' },
)

/** The collections of a catalogue, each with its first products. Rejects ITEM_UNKNOWN for an account that is not a business. */
export async function readCollections(
  session: LiveSession,
  jid: string,
  { limit, products }: { limit: number; products: number },
): Promise<Static<typeof Collection>[]> {
  const reply = await query(session, {
    xmlns: 'w:biz:catalog',
    type: 'get',
    attrs: { smax_id: '35' },
    content: node('collections', { biz_jid: jid }, [
      words('collection_limit', String(limit)),
      words('item_limit', String(products)),
      words('width', '100'),
      words('height', '100'),
    ]),
    verb: 'read the collections',
    item: `Catalogue of ${jid}`,
  })
  return children(child(reply, 'collections'), 'collection').map((collection) => ({
    ID: text(collection, 'id'),
    Name: text(collection, 'name'),
    ReviewStatus: text(child(collection, 'status_info'), 'status'),
    Products: children(collection, 'product').map(toProduct),
  }))
}
