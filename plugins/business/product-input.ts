import { children } from 'wamux/messaging'
import { type GatewayServices, type LiveSession, type Static, T } from 'wamux/plugin'
import { uploadPictures } from './pictures.ts'
import type { Fields } from './product.ts'
import { node, words } from './stanza.ts'

export const id = T.String({
  minLength: 1,
  maxLength: 64,
  format: 'id',
  aliases: ['ProductId'],
  description: 'Product id',
})

/** Longer ones than the network takes, but not more than a frame holds. */
const Words = (description: string) =>
  T.Optional(T.String({ allowEmpty: true, maxLength: 20_000, description }))

/** What a client says of a product. */
export const newProduct = {
  name: T.String({ minLength: 1, maxLength: 1000, description: 'What it is called' }),
  price: T.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'Thousandths of the currency: 19.90 is 19900',
    examples: [19900],
  }),
  currency: T.String({ pattern: '^[A-Za-z]{3}$', description: 'Three letters, ISO 4217', examples: ['BRL'] }),
  description: Words('What it is like'),
  images: T.Optional(
    T.Array(T.String({ minLength: 1 }), {
      maxItems: 10,
      description: 'JPEG or PNG pictures: data URLs, base64 or links; in an edit they replace all',
    }),
  ),
  url: T.Optional(
    T.String({
      allowEmpty: true,
      maxLength: 4096,
      pattern: '^(https?://\\S+)?$',
      description: 'Its page; an empty one removes it',
    }),
  ),
  retailerId: T.Optional(
    T.String({ allowEmpty: true, format: 'id', maxLength: 20_000, description: 'Your own id of it' }),
  ),
  isHidden: T.Optional(T.Boolean({ description: 'Only you see it' })),
  originCountryCode: T.Optional(
    T.String({ pattern: '^[A-Za-z]{2}$', description: 'Where it was made, ISO 3166', examples: ['BR'] }),
  ),
}

type Given = Partial<{ [K in keyof typeof newProduct]: Static<(typeof newProduct)[K]> }>

/** Only what is given; pictures go up first. */
export async function changes(
  session: LiveSession,
  media: GatewayServices['media'],
  given: Given,
  now?: Fields,
): Promise<Partial<Fields>> {
  const { images, currency, originCountryCode, ...simple } = given
  return {
    ...simple,
    ...(currency ? { currency: currency.toUpperCase() } : {}),
    ...(originCountryCode ? origin(originCountryCode.toUpperCase(), now) : {}),
    ...(images ? { images: await uploadPictures(session, media, images) } : {}),
  }
}

/** Replaces the country and keeps what else the law asked for, such as the importer. */
function origin(country: string, now: Fields | undefined): Pick<Fields, 'compliance' | 'complianceCategory'> {
  const tags = ['importer_name', 'importer_address']
  const others = tags.flatMap((tag) => children(now?.compliance, tag))
  return {
    complianceCategory: undefined,
    compliance: node('compliance_info', {}, [words('country_code_origin', country), ...others]),
  }
}
