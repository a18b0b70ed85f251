import type { Description, Route } from 'wamux/plugin'
import type { Json } from './components.ts'
import { openApi } from './openapi.ts'
import { type RequestOperation, type RequestSchema, requestOf, script } from './postman-request.ts'

/** A request of the collection, with the route that it calls. */
interface CollectionItem {
  readonly folder: string
  readonly route: Route
  readonly item: Json
}

const LAST = {
  name: 'last',
  description: 'Requests that end a session or a chat used by other requests.',
}

const DESCRIPTION = `A folder for each plugin. \`wamux sandbox\` writes an environment with \`baseUrl\`, \`token\` and
\`admintoken\`: import and select it too, and the requests work unchanged; the whole collection can be run from top to
bottom. Streams are left out, because they do not end. For another gateway set these variables here. Without an environment, "Create a session" sets \`token\`.`

/** A Postman collection (2.1) of the interface. A request that creates a value comes before those that use it. */
export function postman(description: Description): Json {
  const document = openApi(description) as {
    info: { title: string; version: string }
    paths: Record<string, Record<string, RequestOperation>>
    components: { schemas: Record<string, RequestSchema> }
  }
  const { info, paths, components } = document
  const entries = description.plugins.flatMap(({ name, routes }) =>
    routes.flatMap((route): CollectionItem[] => {
      const { method, path } = route
      const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
      return operation && !isStream(route)
        ? [{ folder: name, route, item: requestOf(route, operation, components.schemas) }]
        : []
    }),
  )
  const isLast = ({ route }: CollectionItem): boolean => route.spec.chain?.isLast === true
  const usual = entries.filter((entry) => !isLast(entry))
  const last = entries.filter(isLast).map(({ item }) => item)
  return {
    info: {
      name: `${info.title} ${info.version}`,
      description: DESCRIPTION,
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    event: [
      script(["pm.test('is answered with 2xx', () => pm.expect(pm.response.code).to.be.within(200, 299))"]),
    ],
    variable: variablesOf(entries),
    item: [
      ...foldersOf(usual).map((name) => ({
        name,
        item: usual.filter(({ folder }) => folder === name).map(({ item }) => item),
      })),
      ...(last.length > 0 ? [{ ...LAST, item: last }] : []),
    ],
  }
}

/** A run of the collection would wait for its end. */
function isStream({ spec }: Route): boolean {
  const { contentMediaType } = (spec.response ?? {}) as { contentMediaType?: string }
  return contentMediaType === 'text/event-stream'
}

/** First the folders whose answers are used by most others, then by name as on the page. */
function foldersOf(entries: readonly CollectionItem[]): string[] {
  const names = [...new Set(entries.map(({ folder }) => folder))].sort()
  const of = (name: string): CollectionItem[] => entries.filter(({ folder }) => folder === name)
  const saved = (name: string): string[] =>
    of(name).flatMap(({ route }) => Object.keys(route.spec.chain?.saves ?? {}))
  const used = (name: string): string[] =>
    of(name).flatMap(({ route }) => Object.values(route.spec.chain?.uses ?? {}))
  const usersOf = (name: string): number =>
    names.filter((other) => other !== name && used(other).some((variable) => saved(name).includes(variable)))
      .length
  return names.toSorted((one, other) => usersOf(other) - usersOf(one))
}

function variablesOf(entries: readonly CollectionItem[]): Json[] {
  const given = [
    { key: 'baseUrl', value: 'http://localhost:8080', description: 'Address of the gateway' },
    { key: 'token', value: '', description: 'Token of the session that the requests are for' },
    { key: 'admintoken', value: '', description: 'Token of the administrator, from data/admin-token' },
  ]
  const saved = new Set(entries.flatMap(({ route }) => Object.keys(route.spec.chain?.saves ?? {})))
  for (const { key } of given) saved.delete(key)
  return [
    ...given,
    ...[...saved].map((key) => ({ key, value: '', description: 'Set by the request that creates it' })),
  ]
}
