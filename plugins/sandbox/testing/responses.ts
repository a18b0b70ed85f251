import { newAjv } from 'wamux/kit'
import type { Plugin, Reply, Route } from 'wamux/plugin'

/** The same plugin, with routes that fail if their answer does not match their `response`. */
export function withResponseChecks(plugin: Plugin): Plugin {
  const { routes, ...spec } = plugin.spec
  if (!routes) return plugin
  const checked: typeof routes = (builder, config) => routes(builder, config).map(check)
  return { ...plugin, spec: { ...spec, routes: checked } }
}

function check(route: Route): Route {
  const { response, handle } = route.spec
  if (!response) return route
  const ajv = newAjv({ allErrors: true })
  ajv.opts.useDefaults = false
  const validate = ajv.compile(response)
  const place = `${route.method} ${route.path}`
  return {
    ...route,
    spec: {
      ...route.spec,
      async handle(request, deps) {
        const answer = await handle(request, deps)
        // In the form that clients get.
        if (isReply(answer) || validate(JSON.parse(JSON.stringify(answer ?? {})))) return answer
        throw new Error(
          `${place} gave an answer that its "response" does not allow: ${ajv.errorsText(validate.errors)}`,
        )
      },
    },
  }
}

function isReply(answer: unknown): answer is Reply {
  return (answer as Partial<Reply> | undefined)?.$type === 'wamux/reply'
}
