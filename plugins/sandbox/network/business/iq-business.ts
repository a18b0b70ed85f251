import { child, children, el, text, textNode } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import { CATEGORIES, NO_BUSINESS, type Order } from './business.ts'
import { verifiedNameNode } from './verified-name.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const MODES = ['specific_hours', 'open_24h', 'appointment_only']
const DAY_MINUTES = 1440

/**
 * The opening hours of a change; undefined if it clears them. A day has one child for each of its ranges, and none if the
 * business is closed. Throws 406 for a day or mode that does not exist, and for times that do not go with the mode.
 */
function hoursOf(hours: Stanza): Stanza | undefined {
  const days = children(hours, 'business_hours_config')
  if (!days.every(isValid)) throw refusal(406, 'not-acceptable')
  return days.length > 0 ? hours : undefined
}

function isValid({ attrs }: Stanza): boolean {
  const { day_of_week: day = '', mode = '', open_time: open, close_time: close } = attrs
  if (!DAYS.includes(day) || !MODES.includes(mode)) return false
  if (mode !== 'specific_hours') return open === undefined && close === undefined
  return isMinute(open) && isMinute(close)
}

function isMinute(value: string | undefined): boolean {
  return value !== undefined && /^\d{1,4}$/.test(value) && Number(value) < DAY_MINUTES
}

/** Business profiles and verified names (`w:biz`). A profile update carries only the changed fields. */
export const businessProfile: QueryHandler = (state, { account }, iq) => {
  const named = child(iq, 'verified_name')?.attrs['jid']
  if (named !== undefined) return verifiedNameOf(state, named)
  const request = child(iq, 'business_profile')
  if (!request) throw refusal(400, 'bad-request')
  if (iq.attrs['type'] === 'get') {
    const found = children(request, 'profile').flatMap(({ attrs }) => {
      const owner = state.directory.find(attrs['jid'] ?? '')
      const profile = state.business.profile(owner)
      if (!owner || !profile) return []
      const categories = profile.categories.map((id) =>
        el('category', { id }, Buffer.from(CATEGORIES.get(id) ?? '')),
      )
      return el('profile', { jid: owner.jid }, [
        ...textNodes('address', profile.address),
        ...textNodes('description', profile.description),
        ...textNodes('email', profile.email),
        ...profile.websites.flatMap((website) => textNodes('website', website)),
        ...(categories.length > 0 ? [el('categories', {}, categories)] : []),
        el('profile_options', {}, [el('commerce_experience', {}, Buffer.from('catalog'))]),
        ...(profile.hours ? [profile.hours] : []),
        ...(profile.coverPhoto ? [el('cover_photo', { id: profile.coverPhoto })] : []),
      ])
    })
    return [el('business_profile', { v: request.attrs['v'] }, found)]
  }
  const profile = state.business.own(account)
  for (const field of ['address', 'description', 'email'] as const) {
    const given = child(request, field)
    if (given) profile[field] = withinLength(text(given), LIMITS[field])
  }
  const websites = children(request, 'website').map((website) => withinLength(text(website), 256))
  if (websites.length > 2) throw refusal(406, 'not-acceptable')
  if (websites.length > 0) profile.websites = websites
  const categories = children(child(request, 'categories'), 'category').map(({ attrs }) => attrs['id'] ?? '')
  if (categories.some((id) => !CATEGORIES.has(id))) throw refusal(406, 'not-acceptable')
  if (categories.length > 0) profile.categories = categories
  const hours = child(request, 'business_hours')
  if (hours) profile.hours = hoursOf(hours)
  const cover = child(request, 'cover_photo')
  if (cover) profile.coverPhoto = coverOf(state, cover, profile.coverPhoto)
  return undefined
}

/** Empty for an account that is not a business. */
function verifiedNameOf(state: NetworkState, jid: string): Stanza[] {
  const owner = state.directory.find(jid)
  if (!owner) throw refusal(404, 'item-not-found')
  return owner.business ? [verifiedNameNode(state, owner)] : []
}

const LIMITS = { address: 256, description: 512, email: 128 } as const

/** Categories and orders (`fb:thrift_iq`). */
export const commerce: QueryHandler = (state, { account }, iq) => {
  const request = child(iq, 'request')
  if (request?.attrs['op'] === 'profile_typeahead') {
    state.business.own(account)
    const search = text(child(request, 'query')).toLowerCase()
    const found = [...CATEGORIES].filter(([, name]) => name.toLowerCase().includes(search))
    return [
      el('response', {}, [
        el('not_a_biz', {}, [category(NO_BUSINESS)]),
        el('categories', {}, [NO_BUSINESS, ...found].map(category)),
      ]),
    ]
  }
  const order = child(iq, 'order')
  if (order?.attrs['op'] === 'get') {
    return [
      orderNode(state, state.business.find(order.attrs['id'] ?? '', text(child(order, 'token')), account)),
    ]
  }
  if (order?.attrs['op'] !== 'create') throw refusal(400, 'bad-request')
  const seller = state.directory.find(order.attrs['biz_jid'] ?? '')
  const items = children(order, 'product').map((product) => ({
    id: text(child(product, 'id')),
    quantity: Number(text(child(product, 'quantity'))),
  }))
  if (!seller) throw refusal(404, 'item-not-found')
  if (items.length === 0 || items.some(({ quantity }) => !(quantity >= 1 && quantity <= 99)))
    throw refusal(406, 'not-acceptable')
  const placed = state.business.order(account, seller, items)
  return [el('order', { id: placed.id }, [el('token', {}, Buffer.from(placed.token)), ...total(placed)])]
}

function category([id, name]: readonly [string, string]): Stanza {
  return el('category', { id }, Buffer.from(name))
}

/** The format that clients parse (Baileys Utils/business.js parseOrderDetailsNode). */
function orderNode(state: NetworkState, order: Order): Stanza {
  const products = order.items.map(({ product, quantity }) =>
    el('product', {}, [
      el('id', {}, Buffer.from(product.id)),
      el('name', {}, Buffer.from(product.name)),
      ...product.images.slice(0, 1).map((url) => el('image', {}, [textNode('url', hostedAt(state)(url))])),
      ...(product.price === undefined
        ? []
        : [...textNodes('price', String(product.price)), ...textNodes('currency', product.currency)]),
      el('quantity', {}, Buffer.from(String(quantity))),
    ]),
  )
  return el('order', { id: order.id, creation_ts: order.createdAt }, [...products, ...total(order)])
}

/** The sum of all priced items in the currency of the first one; empty if no item has a price. */
function total({ items }: Order): Stanza[] {
  const priced = items.filter(({ product }) => product.price !== undefined)
  const currency = priced[0]?.product.currency
  if (!currency) return []
  const sum = priced.reduce((all, { product, quantity }) => all + (product.price ?? 0) * quantity, 0)
  return [el('price', {}, [...textNodes('total', String(sum)), ...textNodes('currency', currency)])]
}

/** The id of a new cover photo, whose token the media host issued for the upload; '' if the present one is deleted. */
function coverOf(state: NetworkState, { attrs }: Stanza, present: string): string {
  const { op, id = '', token = '' } = attrs
  if (op === 'delete' && id !== present) throw refusal(404, 'item-not-found')
  if (op === 'delete') return ''
  if (op !== 'update' || !state.media.isCoverPhoto(id, token)) throw refusal(406, 'not-acceptable')
  return id
}

/** Maps the address of a catalogue picture, which clients give on WhatsApp's host, to this network's media host. */
export function hostedAt({ media }: NetworkState): (url: string) => string {
  return (url) => `https://${media.host}${new URL(url).pathname}`
}

/** Empty for an empty text. */
export function textNodes(tag: string, value: string): Stanza[] {
  return value ? [textNode(tag, value)] : []
}

export function withinLength(value: string, max: number): string {
  if (value.length > max) throw refusal(406, 'not-acceptable')
  return value
}
