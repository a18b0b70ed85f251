import { createHash } from 'node:crypto'
import { children } from '../../stanza.ts'
import type { AccountState } from '../directory/accounts.ts'
import { coverPath } from '../messaging/media-host.ts'
import type { NetworkState } from '../state.ts'
import { CATEGORIES, type Order, type Product } from './business.ts'
import { hostedAt } from './iq-business.ts'

export function viewBusinesses(state: NetworkState): Record<string, unknown> {
  const businesses = state.directory.all().filter(({ business }) => business)
  return {
    Businesses: businesses.map((account) => ({ Phone: account.phone, ...viewShop(state, account) })),
    Orders: state.business.orders().map(viewOrder),
  }
}

/** Profile and products of one account; null for a personal account. */
export function viewShop(state: NetworkState, account: AccountState): Record<string, unknown> | null {
  const profile = state.business.profile(account)
  if (!profile) return null
  return {
    Address: profile.address,
    Description: profile.description,
    Email: profile.email,
    Websites: profile.websites,
    Categories: profile.categories.map((id) => CATEGORIES.get(id)),
    CoverPhoto: profile.coverPhoto,
    CoverSHA256: profile.coverPhoto && hashOf(state, coverPath(profile.coverPhoto)),
    Hours: children(profile.hours).map(({ attrs }) => attrs),
    Products: state.business.catalog(account, account).map((product) => viewProduct(state, product)),
  }
}

function viewProduct(state: NetworkState, product: Product): Record<string, unknown> {
  return {
    ID: product.id,
    Name: product.name,
    Description: product.description,
    Price: product.price ?? null,
    Currency: product.currency,
    RetailerID: product.retailerId,
    URL: product.url,
    Images: product.images.map((url) => ({
      URL: hostedAt(state)(url),
      SHA256: hashOf(state, new URL(url).pathname),
    })),
    Hidden: product.isHidden,
    Review: product.review,
    Origin: children(product.compliance).map(({ tag, content }) => ({ [tag]: String(content) })),
  }
}

function viewOrder({ id, buyer, seller, items }: Order): Record<string, unknown> {
  return {
    ID: id,
    Buyer: buyer.phone,
    Seller: seller.phone,
    Items: items.map(({ product, quantity }) => ({ ID: product.id, Quantity: quantity })),
  }
}

function hashOf(state: NetworkState, path: string): string {
  const data = state.media.read(path) ?? ''
  return createHash('sha256').update(data).digest('hex')
}
