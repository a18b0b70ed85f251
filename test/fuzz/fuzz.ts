/**
 * `npm run fuzz`: throws made-up bodies at every route of a gateway on its local network. Each answer must be in the
 * envelope and never a 500; a 400 names a field or says that the body can't be read; what is refused has changed nothing
 * on the network; the gateway stays up and its session logged in. `-- --seed 1 --runs 30 --only /send/text`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import fc from 'fast-check'
import { loadConfig } from '../../config/load.ts'
import { describe } from '../../kernel/describe.ts'
import type { Route } from '../../kernel/plugin.ts'
import { prepare } from '../../kernel/prepare.ts'
import { bodies, namesOf, type Shape } from './bodies.ts'
import { prepareTarget, type Target } from './target.ts'

// The support files hand their cleaning up to mocha, which doesn't run here.
Object.assign(globalThis, { after: () => undefined })
const { startProcess } = await import('../support/process.ts')
const { ADMIN } = await import('../support/gateway.ts')

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    runs: { type: 'string', default: '30' },
    only: { type: 'string', default: '' },
  },
})
const seed = Number(values.seed)
const numRuns = Number(values.runs)

/** They end the session for good. */
const DEADLY = new Set(['/session/delete', '/session/logout'])
/** Pages and the network itself are no part of the interface. */
const OTHERS = new Set(['docs', 'sandbox'])

const folder = mkdtempSync(join(tmpdir(), 'wamux-fuzz-'))
const env = { WAMUX_DATA_DIR: folder, LOG_LEVEL: 'info', WAMUX_BAILEYS_ACKTIMEOUTMS: '2000' }
const gateway = await startProcess(env, 'sandbox')
const statuses = new Map<number, number>()
const failures: string[] = []
try {
  const target = await prepareTarget(gateway, ADMIN)
  const { plugins } = await loadConfig({}, { sandbox: true })
  const routes = describe('fuzz', prepare(plugins))
    .plugins.filter(({ name }) => !OTHERS.has(name))
    .flatMap((plugin) => plugin.routes.map((route) => ({ route, owner: plugin.name })))
    .filter(({ route }) => !DEADLY.has(route.path) && (!values.only || route.path === values.only))
  print(`${routes.length} routes, ${numRuns} bodies each, --seed ${seed}`)
  for (const { route, owner } of routes) await fuzz(target, route, owner)
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`)
  print(`answers by status: ${counts.join(', ')}`)
} finally {
  await gateway.end('SIGTERM')
  rmSync(folder, { recursive: true, force: true })
}
print(failures.length === 0 ? 'nothing broke' : `${failures.length} routes broke`)
process.exitCode = failures.length === 0 ? 0 : 1

async function fuzz(target: Target, route: Route, owner: string): Promise<void> {
  const schema = route.spec.body as Shape | undefined
  const session = owner === 'session' ? target.spare : target.main
  const property = fc.asyncProperty(bodies(schema, target.known), async (body) => {
    const before = await target.sent()
    const { status, text } = await call(route, body, {
      ...session,
      ...(route.spec.access === 'admin' ? target.admin : {}),
    })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
    judge(status, text, namesOf(schema))
    if (status >= 400 && status < 500 && (await target.sent()) !== before)
      throw new Error(`it answered ${status} and changed the network: ${text}`)
    if (!(await target.isLoggedIn())) throw new Error(`the session is no longer logged in: ${text}`)
  })
  const result = await fc.check(property, { seed, numRuns, endOnFailure: true })
  if (!result.failed) return
  failures.push(route.path)
  const cause =
    result.errorInstance instanceof Error ? result.errorInstance.message : String(result.errorInstance)
  print(
    `BROKE ${route.method} ${route.path}: ${shorten(cause)}\n  body: ${shorten(result.counterexample?.[0] ?? '')}`,
  )
}

async function call(
  { method, path }: Route,
  body: string,
  headers: Record<string, string>,
): Promise<{ status: number; text: string }> {
  const url = new URL(gateway.url + path.replace(/:\w+/g, () => encodeURIComponent(body.slice(0, 40)) || 'x'))
  if (method === 'GET') for (const [name, value] of fieldsOf(body)) url.searchParams.set(name, value)
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'GET' ? {} : { body }),
  })
  return { status: response.status, text: await response.text() }
}

/** A GET has its fields in the query. */
function fieldsOf(body: string): [string, string][] {
  try {
    const fields = Object.entries((JSON.parse(body) ?? {}) as object)
    return fields
      .filter(([name]) => !/token/i.test(name))
      .map(([name, value]) => [name, String(value).slice(0, 2000)])
  } catch {
    return [['broken', body.slice(0, 2000)]]
  }
}

function judge(status: number, text: string, names: readonly string[]): void {
  let answer: { code?: unknown; success?: unknown; data?: unknown; error?: unknown }
  try {
    answer = JSON.parse(text)
  } catch (cause) {
    throw new Error(`no JSON: ${text}`, { cause })
  }
  const { code, success, data, error } = answer
  const isEnvelope =
    code === status &&
    (status < 400
      ? success === true && typeof data === 'object' && data !== null
      : success === false && typeof error === 'string')
  if (!isEnvelope) throw new Error(`not the envelope: ${text}`)
  if (status === 500) throw new Error(`an internal error: ${text}`)
  if (status !== 400) return
  const says = String(error)
  const isClear =
    /^(Could not decode Payload|Unknown field |Could not parse (Phone|Group JID))/.test(says) ||
    names.some((name) => says.includes(name))
  if (!isClear) throw new Error(`a 400 that names no field: ${text}`)
}

function shorten(text: string): string {
  const line = JSON.stringify(text).slice(1, -1)
  return line.length > 600 ? `${line.slice(0, 600)}… (${line.length} characters)` : line
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
