import { gatewayError, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { CheckResult, Health } from './health.ts'

const Check = T.Object(
  {
    Name: T.String(),
    Plugin: T.String(),
    Ok: T.Boolean(),
    Why: T.String({ description: 'Empty if it passes' }),
    Milliseconds: T.Integer(),
  },
  { title: 'HealthCheck' },
)

const NodeHealth = T.Object(
  {
    Name: T.String({ description: 'Name of the node; empty without the plugin cluster' }),
    State: T.Enum(['ready', 'not-ready', 'unknown'], { description: '`unknown`: the node does not answer' }),
    Why: T.String({ description: 'Which checks fail, or why it did not answer; otherwise empty' }),
    Checks: T.Array(Check),
  },
  { title: 'NodeHealth' },
)

/** For supervisors and load balancers. */
export const healthRoutes = <D extends { health: Health }>(r: RouteBuilder<D>) => [
  r.get('/server/live', {
    summary: 'Liveness: the process answers',
    description: 'Depends on nothing else: if it fails, a restart helps.',
    access: 'public',
    response: T.Object({ Live: T.Boolean() }),
    handle: async () => ({ Live: true }),
  }),
  r.get('/server/ready', {
    summary: 'Readiness: the checks of all plugins pass',
    description: 'Answers 503 with the same list while a check fails. Calls within a second share a run.',
    access: 'public',
    response: T.Object({ Ready: T.Boolean(), Checks: T.Array(Check) }),
    async handle(_, { health }) {
      const results = await health.check()
      const failed = results.filter(({ isOk }) => !isOk)
      const data = { Ready: failed.length === 0, Checks: results.map(toCheck) }
      if (data.Ready) return data
      const why = whyOf(failed)
      const { code: errorCode, status: code, message: error } = gatewayError('NOT_READY', [why])
      const body = JSON.stringify({ code, error, errorCode, success: false, data })
      return reply(body, { 'Content-Type': 'application/json; charset=utf-8', 'Retry-After': '2' }, code)
    },
  }),
  r.get('/server/health', {
    summary: 'Run the checks on every node',
    description:
      'For operators: one entry, or with the plugin cluster one per node. A node that ended without notice is listed for an hour, unless another process has its name.',
    access: 'admin',
    response: T.Object({ Nodes: T.Array(NodeHealth) }),
    async handle(_, { health }) {
      const results = await health.check()
      const Why = whyOf(results.filter(({ isOk }) => !isOk))
      const State = Why ? ('not-ready' as const) : ('ready' as const)
      return { Nodes: [{ Name: '', State, Why, Checks: results.map(toCheck) }] }
    },
  }),
]

const whyOf = (failed: readonly CheckResult[]): string =>
  failed.map(({ name, why }) => `${name}: ${why}`).join('; ')

function toCheck({ name, plugin, isOk, why, ms }: CheckResult) {
  return { Name: name, Plugin: plugin, Ok: isOk, Why: why, Milliseconds: ms }
}
