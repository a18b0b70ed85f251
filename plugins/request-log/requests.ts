import {
  createInterval,
  createKeyedQueue,
  errorTable,
  type Interval,
  isGatewayError,
  type Kernel,
  type RouteCall,
  type Row,
  reasonOf,
} from 'wamux/plugin'
import type { RequestLogConfig } from './config.ts'

/** A request to a session, as it was answered. */
export interface LoggedRequest {
  readonly seq: number
  /** `X-Request-Id` of the answer. */
  readonly request: string
  /** When it was answered, milliseconds since 1970. */
  readonly at: number
  /** `admin`, the id of the session, or `key:` and the id of a key. */
  readonly actor: string
  readonly method: string
  /** The route, with the names of its parameters in place of their values. */
  readonly path: string
  readonly status: number
  /** Code of the error; '' without one. */
  readonly code: string
  /** Milliseconds until the handler's result. */
  readonly ms: number
  /** JSON; undefined if bodies are not kept. */
  readonly body: string | undefined
}

export interface RequestFilter {
  readonly before: number
  readonly limit: number
  readonly path?: string | undefined
  readonly code?: string | undefined
  readonly request?: string | undefined
  readonly isFailed?: boolean | undefined
  /** Milliseconds since 1970. */
  readonly since?: number | undefined
  readonly until?: number | undefined
}

export interface Requests {
  /** Runs a call and records how it ended. */
  run(call: RouteCall, next: () => Promise<unknown>): Promise<unknown>
  /** Newest first. */
  page(session: string, filter: RequestFilter): Promise<LoggedRequest[]>
  /** Deletes those of a session beyond the number kept. */
  trim(session: string): Promise<void>
}

type Deps = Pick<Kernel<RequestLogConfig>, 'config' | 'db' | 'log' | 'vault'>

const MAX_BODY = 8 * 1024

export function createRequests({ config, db, log, vault }: Deps): Requests {
  const table = db.table('requests')
  const errors = errorTable()
  /** Requests of each session since it was trimmed: those beyond the number kept are at most a tenth of it. */
  const added = new Map<string, number>()
  const trims = createKeyedQueue()
  const placeOf = (request: string): string => `request_log_requests/${request}`

  function isKept({ route, session }: RouteCall, isFailed: boolean): boolean {
    if (!session) return false
    return isFailed || config.keep === 'all' || (config.keep === 'changes' && route.method !== 'GET')
  }

  /** Sealed; null if it is not kept. Routes whose bodies are credentials are left out. */
  function sealedBody({ route, session, request, body }: RouteCall): Buffer | null {
    if (!config.bodies || body === undefined || route.spec.isSensitive) return null
    return vault.seal(session, placeOf(request), JSON.stringify(body).slice(0, MAX_BODY))
  }

  async function write(call: RouteCall, began: number, code: string): Promise<void> {
    const { actor, route, session, request } = call
    const row = {
      session,
      request,
      at: Date.now(),
      actor,
      method: route.method,
      path: route.path,
      status: code ? (errors.get(code)?.[0] ?? 500) : 200,
      code,
      ms: Math.round(performance.now() - began),
      body: sealedBody(call),
    }
    // Nobody waits for it, and a node that only passed the request on may write it too.
    await db.write([db.add('requests', ['session', 'request'], [row])], {
      isDeferred: true,
      isFromAnyNode: true,
    })
    const count = (added.get(session) ?? 0) + 1
    added.set(session, count)
    if (count >= config.rows / 10) await trims.run(session, () => trim(session))
  }

  async function trim(session: string): Promise<void> {
    // Those that waited for another call find nothing to delete.
    if (added.get(session) === 0) return
    added.set(session, 0)
    const [last] = await db
      .read<Row>(table)
      .where({ session })
      .orderBy('seq', 'desc')
      .offset(config.rows)
      .limit(1)
      .select('seq')
    if (last)
      await db.prune('requests', (query) => query.where({ session }).where('seq', '<=', Number(last['seq'])))
  }

  /** The answer is the same whether or not it is recorded: a session just deleted has no key any more, for example. */
  function record(call: RouteCall, began: number, code: string): void {
    if (!isKept(call, code !== '')) return
    const { session } = call
    write(call, began, code).catch((error: unknown) =>
      log.warn({ session, reason: reasonOf(error) }, 'request not logged, or old ones not deleted'),
    )
  }

  function fromRow(session: string, row: Row): LoggedRequest {
    const request = String(row['request'])
    const body = row['body'] as Buffer | null
    return {
      seq: Number(row['seq']),
      request,
      at: Number(row['at']),
      actor: String(row['actor']),
      method: String(row['method']),
      path: String(row['path']),
      status: Number(row['status']),
      code: String(row['code']),
      ms: Number(row['ms']),
      body: body ? vault.open(session, placeOf(request), body).toString() : undefined,
    }
  }

  return {
    async run(call, next) {
      const began = performance.now()
      try {
        const result = await next()
        record(call, began, '')
        return result
      } catch (error) {
        record(call, began, isGatewayError(error) ? error.code : 'INTERNAL')
        throw error
      }
    },
    async page(session, { before, limit, path, code, request, isFailed, since, until }) {
      const query = db.read<Row>(table).where({ session }).where('seq', '<', before)
      if (path) query.where({ path })
      if (code) query.where({ code })
      if (request) query.where({ request })
      if (isFailed !== undefined) query.where('code', isFailed ? '<>' : '=', '')
      if (since !== undefined) query.where('at', '>=', since)
      if (until !== undefined) query.where('at', '<', until)
      const rows = await query.orderBy('seq', 'desc').limit(limit)
      return rows.map((row) => fromRow(session, row))
    },
    trim,
  }
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

type PruningDeps = Pick<Kernel<RequestLogConfig>, 'config' | 'db' | 'log' | 'sessions'> & {
  requests: Requests
}

/** Deletes old requests, and those beyond the number kept, of the sessions of this node: at start and every hour. */
export function createPruning({ config, db, log, sessions, requests }: PruningDeps): Interval {
  async function prune(): Promise<void> {
    await db.prune('requests', (query) => query.where('at', '<', Date.now() - config.days * DAY_MS))
    for (const { id } of sessions.served()) await requests.trim(id)
  }

  return createInterval(HOUR_MS, prune, (error) => log.error({ err: error }, 'deleting old requests failed'))
}
