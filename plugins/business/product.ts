import type { BinaryNode } from '@whiskeysockets/baileys'
import { child, children, node } from 'wamux/messaging'
import { type Static, T } from 'wamux/plugin'
import { amount, text, words } from './stanza.ts'

const Words = T.String()

export const Product = T.Object(
  {
    ID: Words,
    Name: Words,
    Description: Words,
    Price: T.Union([T.Integer(), T.Null()], {
      description: 'Thousandths of the currency; null if the product has no price',
    }),
    Currency: Words,
    RetailerID: Words,
    URL: Words,
    Availability: Words,
    IsHidden: T.Boolean(),
    ReviewStatus: T.String({ description: 'PENDING, APPROVED or REJECTED' }),
    Images: T.Array(T.Object({ URL: Words })),
  },
  { title: 'Product' },
)

export function toProduct(product: BinaryNode): Static<typeof Product> {
  const { name, description, price, currency, retailerId, url, images, isHidden } = fieldsOf(product)
  return {
    ID: text(product, 'id'),
    Name: name,
    Description: description,
    Price: price ?? null,
    Currency: currency,
    RetailerID: retailerId,
    URL: url,
    Availability: product.attrs['availability'] ?? '',
    IsHidden: isHidden,
    ReviewStatus: text(child(product, 'status_info'), 'status'),
    Images: images.map((URL) => ({ URL })),
  }
}

/** The editable fields of a product. */
export interface GivenProduct {
  name: string
  description: string
  /** Thousandths of the currency. */
  price: number | undefined
  currency: string
  retailerId: string
  url: string
  /** Addresses on the media host. */
  images: string[]
  isHidden: boolean
  /** Legally required information, for example the country of origin; kept unchanged. */
  compliance: BinaryNode | undefined
  complianceCategory: string | undefined
}

export const EMPTY: GivenProduct = {
  name: '',
  description: '',
  price: undefined,
  currency: '',
  retailerId: '',
  url: '',
  images: [],
  isHidden: false,
  compliance: undefined,
  complianceCategory: undefined,
}

export function fieldsOf(product: BinaryNode): GivenProduct {
  return {
    name: text(product, 'name'),
    description: text(product, 'description'),
    price: amount(product, 'price'),
    currency: text(product, 'currency'),
    retailerId: text(product, 'retailer_id'),
    url: text(product, 'url'),
    images: children(child(product, 'media'), 'image').map(
      (image) => text(image, 'original_image_url') || text(image, 'request_image_url'),
    ),
    isHidden: product.attrs['is_hidden'] === 'true',
    compliance: child(product, 'compliance_info'),
    complianceCategory: product.attrs['compliance_category'],
  }
}

/** Contains all fields: an edit deletes those that it omits. Baileys' toProductNode lacks `url` and fails without pictures. */
export function toNode(fields: GivenProduct, id?: string): BinaryNode {
  const { name, description, price, currency, retailerId, url, images, compliance } = fields
  const media = images.map((image) => node('image', {}, [words('url', image)]))
  const category = fields.complianceCategory
  return node(
    'product',
    { is_hidden: String(fields.isHidden), ...(category ? { compliance_category: category } : {}) },
    [
      ...(id ? [words('id', id)] : []),
      words('name', name),
      ...(description ? [words('description', description)] : []),
      ...(url ? [words('url', url)] : []),
      ...(retailerId ? [words('retailer_id', retailerId)] : []),
      ...(media.length > 0 ? [node('media', {}, media)] : []),
      ...(price === undefined ? [] : [words('price', String(price)), words('currency', currency)]),
      ...(compliance ? [compliance] : []),
    ],
  )
}
