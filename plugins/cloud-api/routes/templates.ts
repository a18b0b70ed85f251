import { type GatewayServices, gatewayError, type Kernel, type RouteBuilder, T } from 'wamux/plugin'
import { GRAPH, ROOT } from '../graph/dialect.ts'
import { Graph } from '../graph/graph-error.ts'
import { assertOwn } from '../graph/number-id.ts'
import { type Template, type Templates, templateIdOf } from '../templates/templates.ts'
import { graphPage } from './account.ts'

type Deps = Kernel<unknown> & Pick<GatewayServices, 'sessionSettings'> & { templates: Templates }

const Button = T.Object(
  {
    type: T.String({ format: 'name' }),
    text: T.Optional(T.String({ format: 'line' })),
    url: T.Optional(T.String({ format: 'link', leaves: 'nothing' })),
    phone_number: T.Optional(T.String({ maxLength: 64, names: 'none' })),
  },
  { additionalProperties: true },
)

const NewTemplate = T.Object({
  name: T.String({
    maxLength: 512,
    pattern: '^[a-z0-9_]{1,512}$',
    description: 'Lower-case letters, digits and _',
  }),
  language: T.String({ minLength: 2, maxLength: 20, examples: ['en_US'] }),
  category: T.Optional(T.String({ maxLength: 64, description: 'UTILITY when absent' })),
  parameter_format: T.Optional(T.String({ maxLength: 64 })),
  components: T.Array(
    T.Object(
      {
        type: T.String({ format: 'name', description: 'HEADER, BODY, FOOTER or BUTTONS' }),
        format: T.Optional(
          T.String({ format: 'name', description: 'For a header: TEXT, IMAGE, VIDEO or DOCUMENT' }),
        ),
        text: T.Optional(T.String({ maxLength: 4096 })),
        buttons: T.Optional(T.Array(Button, { maxItems: 10 })),
      },
      { additionalProperties: true },
    ),
    { minItems: 1, maxItems: 10 },
  ),
})

/** The templates of a session, used by messages of type `template`. */
export const templateRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get(`${ROOT}/:id/message_templates`, {
    ...GRAPH,
    summary: 'Cloud API: list message templates',
    description:
      'The query parameters `name`, `language` and `status` filter them. Every template is approved.',
    access: 'token',
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    response: Graph('`data`'),
    async handle({ session, params, query }, { templates, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      const all = (await templates.list(session.id)).map(viewOf)
      const fits = (one: ReturnType<typeof viewOf>, field: 'name' | 'language' | 'status'): boolean =>
        !query.get(field) || query.get(field) === one[field]
      return graphPage(all.filter((one) => fits(one, 'name') && fits(one, 'language') && fits(one, 'status')))
    },
  }),
  r.post(`${ROOT}/:id/message_templates`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: create or replace a message template',
    description: 'It can be used at once, without approval.',
    example: {
      name: 'order_ready',
      language: 'en_US',
      category: 'UTILITY',
      components: [{ type: 'BODY', text: 'Hello {{1}}, your order {{2}} is ready.' }],
    },
    access: 'token',
    scope: 'manage',
    errors: ['CLOUD_OBJECT_UNKNOWN'],
    body: NewTemplate,
    response: Graph('`id`, `status` and `category`'),
    async handle({ body, session, params }, { templates, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      if (!body.components.some(({ type, text }) => type.toUpperCase() === 'BODY' && text))
        throw gatewayError('FIELD_MISSING', ['components.BODY.text'])
      const template = { ...body, category: body.category ?? 'UTILITY' } as Template
      await templates.put(session.id, template)
      const { id, status, category } = viewOf(template)
      return { id, status, category }
    },
  }),
  r.delete(`${ROOT}/:id/message_templates`, {
    ...GRAPH,
    leaves: [],
    summary: 'Cloud API: delete a message template',
    description: 'Deletes all languages of the template with the query parameter `name`.',
    access: 'token',
    scope: 'manage',
    errors: ['CLOUD_OBJECT_UNKNOWN', 'CLOUD_TEMPLATE_UNKNOWN', 'FIELD_MISSING'],
    response: Graph('`success`'),
    async handle({ session, params, query }, { templates, sessionSettings }) {
      assertOwn(session, params['id'], sessionSettings)
      const name = query.get('name')
      if (!name) throw gatewayError('FIELD_MISSING', ['name'])
      if ((await templates.remove(session.id, name)) === 0)
        throw gatewayError('CLOUD_TEMPLATE_UNKNOWN', [name, 'any language'])
      return { success: true }
    },
  }),
]

function viewOf(template: Template) {
  return { id: templateIdOf(template), status: 'APPROVED' as const, ...template }
}
