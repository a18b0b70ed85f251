import { type GatewayServices, isGatewayError, reasonOf } from 'wamux/plugin'
import type { Delivery } from './delivery.ts'
import { bodiesOf, headersOf, type RequestParts } from './requests.ts'

export type AttemptResult = Result & {
  /** Duration of the attempt in milliseconds. */
  readonly ms: number
  /** When it ended, milliseconds since 1970. */
  readonly at: number
  /** The first characters of the receiver's answer; '' without one. */
  readonly head: string
}

type Result =
  /** `status`: 0 if the format has no body for the event. */
  | { kind: 'done'; status: number }
  | Failed
  /** The receiver answered 410: it accepts no further deliveries. */
  | { kind: 'gone' }
  /** Aborted by the gateway; whether it arrived is unknown. */
  | { kind: 'aborted' }

export interface Failed {
  readonly kind: 'failed'
  readonly reason: string
  /** Counts as a failure for the host's circuit breaker. */
  readonly isDown: boolean
  /** The receiver works and rejects the request itself: a 4xx that does not ask for a retry. */
  readonly isRefused: boolean
  /** The endpoint's own settings make no body of this event: another attempt would fail too. */
  readonly isFinal?: boolean
  /** Milliseconds of the receiver's Retry-After. */
  readonly after?: number
  /** Indexes of the bodies not accepted yet, if the event has several. */
  readonly parts?: readonly number[]
  /** Other bodies of the event were accepted. */
  readonly isPartial?: boolean
}

export interface AttemptParts extends RequestParts {
  httpClient: GatewayServices['httpClient']
  signal: AbortSignal
}

interface Exchange {
  readonly result: Result
  readonly head: string
}

const MAX_RETRY_AFTER_MS = 24 * 3_600_000
/** 4xx that ask for a retry: a time-out, a conflict, too early, too many requests. */
const PASSING: readonly number[] = [408, 409, 425, 429]

/** One attempt to deliver one event. Never throws. */
export async function attempt(parts: AttemptParts): Promise<AttemptResult> {
  const began = performance.now()
  const { result, head } = await exchange(parts)
  return { ...result, head, at: Date.now(), ms: Math.round(performance.now() - began) }
}

async function exchange(parts: AttemptParts): Promise<Exchange> {
  let bodies: Buffer[]
  try {
    bodies = await bodiesOf(parts)
  } catch (error) {
    // No request was made, so nothing is known about the receiver.
    const isFinal = isGatewayError(error) && error.code === 'FIELD_INVALID'
    return { result: { ...failed(reasonOf(error)), isFinal }, head: '' }
  }
  const due = dueOf(bodies, parts.delivery)
  return due.length === 1 && bodies.length === 1
    ? post(parts, bodies[0] as Buffer, 0)
    : postAll(parts, bodies, due)
}

/** Indexes of the bodies to post; all of them if the format has changed since some were accepted. */
function dueOf(bodies: readonly Buffer[], { parts }: Delivery): number[] {
  const all = bodies.map((_, at) => at)
  const due = parts ? all.filter((at) => parts.includes(at)) : all
  return due.length > 0 ? due : all
}

/** Posts in order. A refused one does not block the others; after any other failure the rest would fail too. */
async function postAll(
  parts: AttemptParts,
  bodies: readonly Buffer[],
  due: readonly number[],
): Promise<Exchange> {
  let shown: Exchange = { result: { kind: 'done', status: 0 }, head: '' }
  const left: number[] = []
  for (const [index, at] of due.entries()) {
    const exchange = await post(parts, bodies[at] as Buffer, at)
    const { result } = exchange
    if (result.kind === 'done' && left.length > 0) continue
    if (result.kind === 'done') {
      shown = exchange
      continue
    }
    if (left.length === 0 || result.kind !== 'failed' || !result.isRefused) shown = exchange
    left.push(at)
    if (result.kind === 'failed' && result.isRefused) continue
    left.push(...due.slice(index + 1))
    break
  }
  const { result, head } = shown
  if (result.kind !== 'failed') return shown
  return { result: { ...result, parts: left, isPartial: left.length < due.length }, head }
}

async function post(parts: AttemptParts, body: Buffer, at: number): Promise<Exchange> {
  const { httpClient, config, endpoint, signal } = parts
  try {
    const headers = headersOf(parts, body, at)
    const { timeoutMs } = config
    const answer = await httpClient.post(endpoint.url, { body, headers, timeoutMs, signal })
    return { result: toResult(answer.status, answer.headers), head: answer.head }
  } catch (error) {
    const down = { ...failed(reasonOf(error)), isDown: true }
    return { result: signal.aborted ? { kind: 'aborted' } : down, head: '' }
  }
}

function toResult(status: number, headers: Record<string, string>): Result {
  if (status >= 200 && status < 300) return { kind: 'done', status }
  if (status === 410) return { kind: 'gone' }
  const after = retryAfter(headers['retry-after'])
  return {
    ...failed(`status ${status}`),
    isDown: status === 429 || status >= 500,
    isRefused: status >= 400 && status < 500 && !PASSING.includes(status) && after === undefined,
    ...(after === undefined ? {} : { after }),
  }
}

function failed(reason: string): Failed {
  return { kind: 'failed', reason, isDown: false, isRefused: false }
}

/** Milliseconds; the header has seconds or a date. */
function retryAfter(value: string | undefined): number | undefined {
  if (!value) return undefined
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS)
}
