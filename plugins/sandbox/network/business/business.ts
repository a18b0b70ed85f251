import { randomBytes, randomInt } from 'node:crypto'
import { noSnapshots, type Slot } from '../../snapshots.ts'
import { seconds } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState } from '../directory/accounts.ts'
import { refusal } from '../refusal.ts'

export interface BusinessProfile {
  address: string
  description: string
  email: string
  websites: string[]
  /** Ids from CATEGORIES. */
  categories: string[]
  /** The node as received, with one child per day. */
  hours: Stanza | undefined
  /** Upload id; '' for none. */
  coverPhoto: string
}

/** The fields of a product set by its owner. */
export interface ProductFields {
  name: string
  description: string
  /** In thousandths of the currency unit; undefined for a product without a price. */
  price: number | undefined
  currency: string
  retailerId: string
  url: string
  images: string[]
  isHidden: boolean
  complianceCategory: string | undefined
  compliance: Stanza | undefined
}

export interface Product extends ProductFields {
  readonly id: string
  readonly owner: AccountState
  review: 'PENDING' | 'APPROVED' | 'REJECTED'
}

/** A named group of products in a catalogue. */
export interface Collection {
  readonly id: string
  readonly name: string
  readonly owner: AccountState
  readonly products: readonly string[]
}

export interface Order {
  readonly id: string
  /** Required, with the id, to read the order. */
  readonly token: string
  readonly buyer: AccountState
  readonly seller: AccountState
  readonly createdAt: number
  /** Copies from when the order was placed. */
  readonly items: readonly { product: Product; quantity: number }[]
}

/** Business accounts with their profiles, catalogues and orders. */
export interface Business {
  /** Throws 403 for a personal account. */
  own(account: AccountState): BusinessProfile
  /** undefined for a personal account. */
  profile(account: AccountState | undefined): BusinessProfile | undefined
  /** The products that `viewer` may see: all for the owner, for others the approved and not hidden ones. Throws 404. */
  catalog(seller: AccountState | undefined, viewer: AccountState): Product[]
  /** Throws 405 for a personal account, like all changes. */
  add(owner: AccountState, fields: ProductFields, given?: Partial<Product>): Product
  /** Throws 404 for an unknown product, 403 for a product of another account. */
  edit(owner: AccountState, id: string, fields: ProductFields): Product
  /** Returns the number of removed products. Throws 403 if one belongs to another account. */
  remove(owner: AccountState, ids: readonly string[]): number
  /** Throws 404 if a product is not for sale. */
  order(
    buyer: AccountState,
    seller: AccountState,
    items: readonly { id: string; quantity: number }[],
    given?: Partial<Order>,
  ): Order
  /** Throws 404 for an unknown order, 401 for a wrong token, 403 if the reader is neither buyer nor seller. */
  find(id: string, token: string, reader: AccountState): Order
  orders(): Order[]
  readonly collections: Collection[]
}

export function createBusiness(slot: Slot = noSnapshots.slot): Business {
  const profiles = slot('business profiles', () => new Map<AccountState, BusinessProfile>())
  const products = slot('products', () => new Map<string, Product>())
  const orders = slot('orders', () => new Map<string, Order>())

  const profile: Business['profile'] = (account) => {
    if (!account?.business) return undefined
    const found = profiles.get(account) ?? emptyProfile()
    profiles.set(account, found)
    return found
  }
  const ownProfile: Business['own'] = (account) => {
    const found = profile(account)
    if (!found) throw refusal(403, 'forbidden')
    return found
  }
  const catalog: Business['catalog'] = (seller, viewer) => {
    if (!seller?.business) throw refusal(404, 'item-not-found')
    const isSeen = (product: Product): boolean =>
      seller === viewer || (product.review === 'APPROVED' && !product.isHidden)
    return [...products.values()].filter((product) => product.owner === seller && isSeen(product))
  }

  return {
    own: ownProfile,
    profile,
    catalog,
    add(owner, fields, given = {}) {
      assertBusiness(owner)
      const id = String(randomInt(1e14, 2e14))
      const product: Product = { ...fields, id, owner, review: 'PENDING', ...given }
      products.set(product.id, product)
      return product
    },
    edit(owner, id, fields) {
      assertBusiness(owner)
      const product = products.get(id)
      if (!product) throw refusal(404, 'item-not-found')
      if (product.owner !== owner) throw refusal(403, 'forbidden')
      return Object.assign(product, fields, { review: 'PENDING' })
    },
    remove(owner, ids) {
      assertBusiness(owner)
      const found = ids.flatMap((id) => products.get(id) ?? [])
      if (found.some((product) => product.owner !== owner)) throw refusal(403, 'forbidden')
      for (const { id } of found) products.delete(id)
      return found.length
    },
    order(buyer, seller, items, given = {}) {
      const onSale = new Map(catalog(seller, buyer).map((product) => [product.id, product]))
      const ordered = items.map(({ id, quantity }) => {
        const product = onSale.get(id)
        if (!product) throw refusal(404, 'item-not-found')
        return { product: { ...product }, quantity }
      })
      const order: Order = {
        id: String(randomInt(1e14, 2e14)),
        token: randomBytes(32).toString('base64'),
        buyer,
        seller,
        createdAt: seconds(),
        items: ordered,
        ...given,
      }
      orders.set(order.id, order)
      return order
    },
    find(id, token, reader) {
      const order = orders.get(id)
      if (!order) throw refusal(404, 'item-not-found')
      if (order.token !== token) throw refusal(401, 'not-authorized')
      if (order.buyer !== reader && order.seller !== reader) throw refusal(403, 'forbidden')
      return order
    },
    orders: () => [...orders.values()],
    collections: slot('collections', () => [] as Collection[]),
  }
}

function assertBusiness(account: AccountState): void {
  if (!account.business) throw refusal(405, 'not-allowed')
}

function emptyProfile(): BusinessProfile {
  return {
    address: '',
    description: '',
    email: '',
    websites: [],
    categories: [],
    hours: undefined,
    coverPhoto: '',
  }
}

/** Business categories. The real list is longer and localized. */
export const CATEGORIES: ReadonlyMap<string, string> = new Map([
  ['629412378414563', 'Automotive service'],
  ['1223524174334504', 'Apparel & clothing'],
  ['152142351517013', 'Education'],
  ['686745248512777', 'Grocery store'],
  ['2084261315134482', 'Hotel'],
  ['133436743388217', 'Medical & health'],
  ['273819889375819', 'Restaurant'],
  ['200600219953504', 'Shopping & retail'],
  ['1086422341396773', 'Travel & transport'],
  ['1757592557789532', 'Other business'],
])

/** The category of accounts that are not businesses. */
export const NO_BUSINESS = ['2248674865158217', 'Not a business'] as const
