import { child, children, el, text } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { QueryHandler } from '../iq/query.ts'
import { refusal } from '../refusal.ts'
import type { NetworkState } from '../state.ts'
import type { Product, ProductFields } from './business.ts'
import { addCollection, collectionsOf } from './collections.ts'
import { hostedAt, textNodes, withinLength } from './iq-business.ts'

const MAX_PRICE = 1e12
const MAX_IMAGES = 10

/** Catalogues (`w:biz:catalog`). An edit replaces every field; omitted fields are cleared. */
export const catalog: QueryHandler = (state, { account }, iq) => {
  const request = children(iq)[0]
  switch (request?.tag) {
    case 'product_catalog': {
      const seen = state.business.catalog(state.directory.find(request.attrs['jid'] ?? ''), account)
      return [
        catalogPage(state, seen, Number(text(child(request, 'limit')) || 10), text(child(request, 'after'))),
      ]
    }
    case 'product_catalog_add': {
      const product = state.business.add(account, fieldsOf(state, request))
      return [el(request.tag, {}, [reviewedNode(state, product)])]
    }
    case 'product_catalog_edit': {
      const id = text(child(child(request, 'product'), 'id'))
      const product = state.business.edit(account, id, fieldsOf(state, request))
      return [el(request.tag, {}, [reviewedNode(state, product)])]
    }
    case 'collections':
      return collectionsOf(state, account, request, (product) => productNode(state, product))
    case 'collections_create':
      return addCollection(state, account, request)
    case 'product_catalog_delete': {
      const ids = children(request, 'product').map((product) => text(child(product, 'id')))
      return [el(request.tag, { deleted_count: state.business.remove(account, ids) })]
    }
    default:
      throw refusal(400, 'bad-request')
  }
}

function catalogPage(
  state: NetworkState,
  products: readonly Product[],
  limit: number,
  after: string,
): Stanza {
  if (!(limit >= 1 && limit <= 100)) throw refusal(400, 'bad-request')
  const last = Buffer.from(after, 'base64').toString()
  const start = after ? products.findIndex(({ id }) => id === last) + 1 : 0
  if (after && start === 0) throw refusal(400, 'bad-request')
  const shown = products.slice(start, start + limit)
  const more = start + limit < products.length
  const cursor = Buffer.from(Buffer.from(shown.at(-1)?.id ?? '').toString('base64'))
  return el('product_catalog', {}, [
    ...shown.map((product) => productNode(state, product)),
    ...(more ? [el('paging', {}, [el('after', {}, cursor)])] : []),
  ])
}

/** The product with its review pending, as answered. The review is then decided at once. */
function reviewedNode(state: NetworkState, product: Product): Stanza {
  const node = productNode(state, product)
  product.review = /\bcontraband\b/i.test(`${product.name} ${product.description}`) ? 'REJECTED' : 'APPROVED'
  return node
}

/** The format that clients parse (Baileys Utils/business.js parseProductNode). */
function productNode(state: NetworkState, product: Product): Stanza {
  const images = product.images
    .map(hostedAt(state))
    .map((url, index) =>
      el('image', {}, [
        ...textNodes('id', `${product.id}${index}`),
        ...textNodes('request_image_url', url),
        ...textNodes('original_image_url', url),
      ]),
    )
  const price = product.price === undefined ? '' : String(product.price)
  return el(
    'product',
    {
      is_hidden: product.isHidden ? 'true' : undefined,
      compliance_category: product.complianceCategory,
      availability: 'in stock',
    },
    [
      ...textNodes('id', product.id),
      ...textNodes('name', product.name),
      ...textNodes('description', product.description),
      ...textNodes('url', product.url),
      ...textNodes('retailer_id', product.retailerId),
      el('media', {}, images),
      ...textNodes('price', price),
      ...(price ? textNodes('currency', product.currency) : []),
      ...(product.compliance ? [product.compliance] : []),
      el('status_info', {}, textNodes('status', product.review)),
    ],
  )
}

function fieldsOf(state: NetworkState, request: Stanza): ProductFields {
  const node = child(request, 'product')
  const field = (tag: string): string => text(child(node, tag))
  const name = withinLength(field('name'), 150)
  const price = field('price')
  const currency = field('currency')
  const url = field('url')
  const images = children(child(node, 'media'), 'image').map((image) => text(child(image, 'url')))
  if (price && !/^\d+$/.test(price)) throw refusal(400, 'bad-request')
  const isRefused =
    !name.trim() ||
    Number(price) > MAX_PRICE ||
    (price !== '' && !/^[A-Z]{3}$/.test(currency)) ||
    (url !== '' && !/^https?:\/\//.test(url)) ||
    images.length > MAX_IMAGES ||
    images.some((image) => !isPicture(state, image))
  if (isRefused) throw refusal(406, 'not-acceptable')
  return {
    name,
    description: withinLength(field('description'), 5000),
    price: price ? Number(price) : undefined,
    currency,
    retailerId: withinLength(field('retailer_id'), 100),
    url,
    images,
    isHidden: node?.attrs['is_hidden'] === 'true',
    complianceCategory: node?.attrs['compliance_category'],
    compliance: child(node, 'compliance_info'),
  }
}

/** Whether the URL is an unencrypted JPEG or PNG on the media host. */
function isPicture(state: NetworkState, url: string): boolean {
  const data = URL.canParse(url) ? state.media.read(new URL(url).pathname) : undefined
  return data !== undefined && /^(ffd8ff|89504e47)/.test(data.subarray(0, 4).toString('hex'))
}
