import { randomInt } from 'node:crypto'
import { child, children, el, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { Product } from './business.ts'
import { textNodes, withinLength } from './iq-business.ts'

/** Creates a collection of own products. Throws 404 for a product that is not in the catalogue. */
export function addCollection(state: NetworkState, owner: AccountState, request: Stanza): Stanza[] {
  const node = child(request, 'collection')
  const name = withinLength(text(child(node, 'name')), 50)
  const products = children(node, 'product').map((product) => text(child(product, 'id')))
  const own = state.business.catalog(owner, owner).map(({ id }) => id)
  if (!name || products.length === 0) throw refusal(406, 'not-acceptable')
  if (products.some((id) => !own.includes(id))) throw refusal(404, 'item-not-found')
  const collection = { id: String(randomInt(1e14, 2e14)), name, owner, products }
  state.business.collections.push(collection)
  return [el(request.tag, {}, [el('collection', {}, textNodes('id', collection.id))])]
}

/** The collections of a business, with those products that the viewer may see. */
export function collectionsOf(
  state: NetworkState,
  viewer: AccountState,
  request: Stanza,
  toNode: (product: Product) => Stanza,
): Stanza[] {
  const seller = state.directory.find(request.attrs['biz_jid'] ?? '')
  const seen = state.business.catalog(seller, viewer)
  const limit = (tag: string): number => Number(text(child(request, tag)) || 51)
  const nodes = state.business.collections
    .filter(({ owner }) => owner === seller)
    .slice(0, limit('collection_limit'))
    .map(({ id, name, products }) =>
      el('collection', {}, [
        ...textNodes('id', id),
        ...textNodes('name', name),
        ...seen
          .filter((product) => products.includes(product.id))
          .slice(0, limit('item_limit'))
          .map(toNode),
        el('status_info', {}, [...textNodes('status', 'APPROVED'), ...textNodes('can_appeal', 'false')]),
      ]),
    )
  return [el('collections', {}, nodes)]
}
