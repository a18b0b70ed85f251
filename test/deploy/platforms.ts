/**
 * What the catalogues of Coolify and Easypanel accept, as read from coollabsio/coolify (app/Console/Commands/Generate/Services.php,
 * bootstrap/helpers) and easypanel-io/templates (utils/schema.ts, scripts/build-templates.ts) of summer 2026.
 */
import { randomBytes } from 'node:crypto'

const text = { type: 'string', minLength: 1 }
const list = (items: object) => ({ type: 'array', minItems: 1, items })
const object = (properties: Record<string, object>, required = Object.keys(properties)) => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
})
const address = { type: 'string', pattern: '^https://\\S+$' }
const titled = list(object({ title: text, description: text }))

/** Any other comment with a colon at the start of a line would be read as a field too. */
export const HEADER = object({
  documentation: address,
  slogan: text,
  // The categories with at least ten templates.
  category: {
    enum: [
      'ai',
      'analytics',
      'auth',
      'automation',
      'backend',
      'cms',
      'devtools',
      'git',
      'media',
      'messaging',
      'monitoring',
      'productivity',
      'storage',
    ],
  },
  tags: { type: 'string', pattern: '^[a-z0-9-]+(,[a-z0-9-]+)*$' },
  logo: { type: 'string', pattern: '^svgs/[a-z0-9-]+\\.(svg|png|webp)$' },
  port: { type: 'string', pattern: '^[0-9]+$' },
})

const LETTERS = 'abcdefghijklmnopqrstuvwxyz0123456789'
const word = (length: number): string =>
  [...randomBytes(length)].map((byte) => LETTERS[byte % LETTERS.length]).join('')

const GENERATORS: Readonly<Record<string, () => string>> = {
  USER: () => word(16),
  PASSWORD: () => word(32),
  PASSWORD_64: () => word(64),
  // Despite the name.
  BASE64: () => word(32),
  BASE64_32: () => word(32),
  BASE64_64: () => word(64),
  REALBASE64: () => randomBytes(32).toString('base64'),
  REALBASE64_32: () => randomBytes(32).toString('base64'),
  REALBASE64_64: () => randomBytes(64).toString('base64'),
  HEX_32: () => randomBytes(16).toString('hex'),
  HEX_64: () => randomBytes(32).toString('hex'),
}

/** What Coolify generates for a variable: its kind is what is between `SERVICE_` and the last underscore. */
export function magicValueOf(name: string): string {
  const [, kind = '', own = ''] = /^SERVICE_(\w+)_([A-Z0-9]+)$/.exec(name) ?? []
  if (kind === 'URL') return `https://${own.toLowerCase()}-x1.example.com`
  const generate = GENERATORS[kind]
  if (!generate) throw new Error(`Coolify generates nothing for ${name}`)
  return generate()
}

export const META = object({
  name: text,
  description: text,
  instructions: text,
  changeLog: list(object({ date: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, description: text })),
  links: list(object({ label: text, url: address })),
  contributors: list(object({ name: text, url: address })),
  schema: object({
    type: { const: 'object' },
    required: list(text),
    properties: {
      type: 'object',
      additionalProperties: object(
        {
          type: { const: 'string' },
          title: text,
          default: text,
          oneOf: list(object({ title: text, enum: list(text) })),
        },
        ['type', 'title', 'default'],
      ),
    },
  }),
  benefits: titled,
  features: titled,
  tags: list(text),
})

const slug = { type: 'string', pattern: '^[a-z0-9-_]+$' }

/** Of a service of the type `app`, the fields that the template uses or could use. */
export const APP = object(
  {
    serviceName: slug,
    source: object({ type: { const: 'image' }, image: text }),
    env: text,
    domains: list(
      object({
        host: { enum: ['$(EASYPANEL_DOMAIN)'] },
        port: { type: 'integer', minimum: 0, maximum: 65_535 },
      }),
    ),
    mounts: list(
      object({ type: { const: 'volume' }, name: slug, mountPath: { type: 'string', pattern: '^/' } }),
    ),
    deploy: object(
      {
        replicas: { type: 'integer' },
        command: { type: ['string', 'null'] },
        zeroDowntime: { type: 'boolean' },
        tiniInit: { type: 'boolean' },
        capAdd: list(text),
        capDrop: list(text),
      },
      [],
    ),
  },
  ['serviceName', 'source', 'env', 'domains', 'mounts', 'deploy'],
)
