import { children, node } from 'wamux/messaging'
import { type GatewayServices, type LiveSession, type Static, T } from 'wamux/plugin'
import { uploadPictures } from './pictures.ts'
import type { GivenProduct } from './product.ts'
import { words } from './stanza.ts'

export const id = T.String({
  minLength: 1,
  maxLength: 64,
  format: 'id',
  aliases: ['ProductId'],
  description: 'Product id',
})

/** The limit is above the network's own, but fits into a frame. */
const Words = (description: string) =>
  T.Optional(T.String({ allowEmpty: true, maxLength: 20_000, description }))

/** The product fields of requests. */
export const newProduct = {
  name: T.String({ minLength: 1, maxLength: 1000, description: 'Name of the product' }),
  price: T.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Thousandths of the currency: 19.90 is 19900',
    examples: [19900],
  }),
  currency: T.String({
    maxLength: 3,
    pattern: '^[A-Za-z]{3}$',
    description: 'Three letters, ISO 4217',
    examples: ['BRL'],
  }),
  description: Words('Description of the product'),
  images: T.Optional(
    T.Array(T.String({ minLength: 1, format: 'file' }), {
      maxItems: 10,
      description: 'JPEG or PNG pictures: data URLs, base64 or links; in an edit they replace all',
    }),
  ),
  url: T.Optional(
    T.String({
      allowEmpty: true,
      maxLength: 4096,
      leaves: 'nothing',
      pattern: '^(https?://\\S+)?$',
      description: 'Page of the product; an empty text removes it',
    }),
  ),
  retailerId: T.Optional(
    T.String({
      allowEmpty: true,
      format: 'id',
      maxLength: 20_000,
      description: 'Your own id of the product',
    }),
  ),
  isHidden: T.Optional(T.Boolean({ description: 'Visible to you only' })),
  originCountryCode: T.Optional(
    T.String({
      maxLength: 2,
      pattern: '^[A-Za-z]{2}$',
      description: 'Country of origin, ISO 3166',
      examples: ['BR'],
    }),
  ),
}

type Given = Partial<{ [K in keyof typeof newProduct]: Static<(typeof newProduct)[K]> }>

/** Converts the given fields only; pictures are uploaded first. */
export async function changes(
  session: LiveSession,
  media: GatewayServices['media'],
  given: Given,
  now?: GivenProduct,
): Promise<Partial<GivenProduct>> {
  const { images, currency, originCountryCode, ...simple } = given
  return {
    ...simple,
    ...(currency ? { currency: currency.toUpperCase() } : {}),
    ...(originCountryCode ? origin(originCountryCode.toUpperCase(), now) : {}),
    ...(images ? { images: await uploadPictures(session, media, images) } : {}),
  }
}

/** Replaces the country and keeps the other legally required fields, for example the importer. */
function origin(
  country: string,
  now: GivenProduct | undefined,
): Pick<GivenProduct, 'compliance' | 'complianceCategory'> {
  const tags = ['importer_name', 'importer_address']
  const others = tags.flatMap((tag) => children(now?.compliance, tag))
  return {
    complianceCategory: undefined,
    compliance: node('compliance_info', {}, [words('country_code_origin', country), ...others]),
  }
}
