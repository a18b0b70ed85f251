import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { loadConfig } from '../../config/load.ts'
import type { Route } from '../../kernel/plugin.ts'
import { describe } from '../../kernel/wiring/describe.ts'
import { prepare } from '../../kernel/wiring/prepare.ts'
import { bodies, type Shape } from './bodies.ts'
import { type Answered, judge } from './judge.ts'
import { startTarget, type Target } from './target.ts'

export interface FuzzOptions {
  seed: number
  /** In all; each route gets as many as every other. */
  requests: number
  /** The path of the one route to ask. */
  only?: string
  /** Modules that the gateway loads before its own. */
  imports?: readonly string[]
  onProgress?(line: string): void
}

export interface FuzzReport {
  routes: number
  requests: number
  /** How many answers had that status. */
  statuses: ReadonlyMap<number, number>
  /** One a route and round, with what is needed to have it again. */
  failures: string[]
  slowest: { ms: number; route: string }
  /** Bytes that the gateway held more at the end than half-way, for each request between. */
  growth: number
}

const HANG_MS = 5_000
const LATE_MS = 500
/** Requests that may go into finding a shorter body that fails, too. */
const SHRINK_MOST = 200

interface Asked {
  readonly route: Route
  readonly plugin: string
}

/**
 * Throws made-up bodies at every route of a gateway on a local network. Each answer must come soon, in the envelope,
 * and never as an error that neither the body nor the network caused; what is refused has changed nothing on the
 * network; the session stays logged in. Asks in two rounds, between which the gateway is weighed.
 */
export async function fuzz(options: FuzzOptions): Promise<FuzzReport> {
  const { seed, only, onProgress = () => undefined } = options
  const asked = (await everyRoute()).filter(({ route }) => !only || route.path === only)
  if (asked.length === 0) throw new Error(`there is no route ${only}`)
  const numRuns = Math.ceil(options.requests / asked.length / 2)
  const target = await startTarget(options.imports)
  const report = {
    routes: asked.length,
    requests: 0,
    statuses: new Map<number, number>(),
    failures: [] as string[],
    slowest: { ms: 0, route: '' },
    growth: 0,
  }
  const note = (route: string, status: number, ms: number): void => {
    report.requests += 1
    report.statuses.set(status, (report.statuses.get(status) ?? 0) + 1)
    if (ms > report.slowest.ms) report.slowest = { ms, route }
  }
  try {
    const round = async (number: number): Promise<void> => {
      for (const one of asked) {
        const began = Date.now()
        const failure = await ask(target, one, { seed: seed + number, numRuns }, note)
        if (failure) report.failures.push(failure)
        onProgress(failure ?? `${one.route.method} ${one.route.path}: ${Date.now() - began} ms`)
      }
    }
    await round(0)
    const [before, count] = [await target.weigh(), report.requests]
    await round(1)
    report.growth = Math.round(((await target.weigh()) - before) / (report.requests - count))
  } finally {
    await target.stop()
  }
  return report
}

async function everyRoute(): Promise<Asked[]> {
  const { plugins } = await loadConfig({})
  return describe('fuzz', prepare(plugins)).plugins.flatMap(({ name, routes }) =>
    routes.map((route) => ({ route, plugin: name })),
  )
}

/** Asks one route again and again; answers what is wrong, with the shortest body that shows it. */
async function ask(
  target: Target,
  { route, plugin }: Asked,
  given: { seed: number; numRuns: number },
  note: (route: string, status: number, ms: number) => void,
): Promise<string | undefined> {
  const schema = route.spec.body as Shape | undefined
  const name = `${route.method} ${route.path}`
  const session = plugin === 'session' ? target.spare : target.main
  // The admin's route that deletes a session takes the token in the header for the one that is meant.
  const headers = route.spec.access === 'admin' ? target.admin : session
  const once = async (body: string): Promise<Answered> => {
    const [before, began] = [target.state(), performance.now()]
    const answer = await call(target.url, route, body, headers)
    note(name, answer.status, Math.round(performance.now() - began))
    return { ...answer, isChanged: target.state() !== before }
  }
  let failed = 0
  const property = fc.asyncProperty(bodies(schema, target.known), async (body) => {
    if (failed > 0) failed += 1
    if (failed > SHRINK_MOST) return
    try {
      let answered = await once(body)
      // It may be what an earlier request has brought about only now: a phone that reads a setting.
      if (answered.isChanged && answered.status >= 400) {
        await sleep(LATE_MS)
        answered = await once(body)
      }
      judge(answered, schema)
      if (!target.isLoggedIn()) throw new Error('the session is no longer logged in')
    } catch (error) {
      failed ||= 1
      throw error
    }
  })
  const result = await fc.check(property, given)
  if (!result.failed) return undefined
  const { message } = result.errorInstance as Error
  const body = shorten(result.counterexample?.[0] ?? '')
  const again = `--only ${route.path} --seed ${given.seed} --requests ${given.numRuns * 2}`
  return `BROKE ${name}: ${shorten(message)}\n  body: ${body}\n  again: npm run fuzz -- ${again}`
}

async function call(base: string, { method, path }: Route, body: string, headers: Record<string, string>) {
  const url = new URL(
    base + path.replace(/:\w+/g, () => encodeURIComponent(Buffer.from(body.slice(0, 40)).toString()) || 'x'),
  )
  if (method === 'GET') for (const [name, value] of fieldsOf(body)) url.searchParams.set(name, value)
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    signal: AbortSignal.timeout(HANG_MS),
    ...(method === 'GET' ? {} : { body }),
  })
  const type = response.headers.get('content-type') ?? ''
  const { status } = response
  const isPicture = path === '/session/qr' && /^(image|text)\//.test(type)
  const isPlain = isPicture || (PLAIN.test(path) && (status < 400 || type.startsWith('text/html')))
  if (!type.startsWith('text/event-stream')) return { status, text: await response.text(), isPlain }
  // It goes on until the client goes.
  await response.body?.cancel()
  return { status, text: '', isPlain }
}

/** Pages, files and streams. */
const PLAIN =
  /^\/(dashboard(\/(assets\/:file|:screen.*))?$|docs|openapi\.json|media|events\/(global\/)?stream|session\/(linking|summary)\/stream|metrics|link\/:token$)/

/** A GET has its fields in the query. Who asks to wait for events, waits: that is no hang. */
function fieldsOf(body: string): [string, string][] {
  try {
    return Object.entries((JSON.parse(body) ?? {}) as object)
      .filter(([name]) => !/token/i.test(name))
      .map(([name, value]) => [name, String(value).slice(0, 2000)] as [string, string])
      .map(([name, value]) => (name === 'wait' && Number(value) > 0 ? [name, '1'] : [name, value]))
  } catch {
    return [['broken', body.slice(0, 2000)]]
  }
}

function shorten(text: string): string {
  const line = JSON.stringify(text).slice(1, -1)
  return line.length > 600 ? `${line.slice(0, 600)}… (${line.length} characters)` : line
}
