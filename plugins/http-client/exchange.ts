import type { Dispatcher } from 'undici'
import { FetchRefusal } from './reason.ts'

export interface HttpPost {
  body: string | Buffer
  headers: Record<string, string>
  /** Milliseconds for the whole exchange. */
  timeoutMs: number
  /** Aborts the exchange. */
  signal?: AbortSignal
}

export interface HttpAnswer {
  status: number
  /** The first value of each header of the answer, by lower-case name. */
  headers: Record<string, string>
  /** The first characters of the body, at most 500. */
  head: string
}

/** The rest of a longer answer is not read: its connection is closed, and its status counts. */
const MAX_ANSWER_BYTES = 4096
const HEAD_BYTES = 500

/**
 * Posts through the agent of `open`. Undici's `request` creates a stream, a promise and an abort signal per answer, which
 * cost more than the exchange itself; only the status and the headers of an answer are needed.
 *
 * @returns a function that resolves to any answer, and rejects with the reason if there is none.
 */
export function poster(open: () => Promise<{ agent: Dispatcher }>) {
  const abortable = createAbortable()
  return async (url: string, { body, headers, timeoutMs, signal }: HttpPost): Promise<HttpAnswer> => {
    const { agent } = await open()
    const { origin, pathname, search } = new URL(url)
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(resolve, reject, timeoutMs)
      if (signal) abortable.add(signal, exchange)
      if (exchange.isSettled) return
      agent.dispatch({ origin, path: pathname + search, method: 'POST', body, headers }, exchange)
    })
  }
}

/** The handler of one exchange. It settles once; later events are ignored. */
class Exchange implements Dispatcher.DispatchHandler {
  isSettled = false
  /** Runs when it settles. */
  onSettled: () => void = () => undefined
  private readonly timer: NodeJS.Timeout
  private controller: Dispatcher.DispatchController | undefined
  private answer: HttpAnswer | undefined
  private received = 0
  private reason: Error | undefined
  private readonly resolve: (answer: HttpAnswer) => void
  private readonly reject: (reason: Error) => void

  constructor(resolve: (answer: HttpAnswer) => void, reject: (reason: Error) => void, timeoutMs: number) {
    this.resolve = resolve
    this.reject = reject
    this.timer = setTimeout(timeOut, timeoutMs, this, timeoutMs)
  }

  /** Ends it, even while it waits for a connection. An answer whose headers have arrived counts. */
  abort(reason: Error): void {
    this.reason = reason
    this.settle(reason)
    this.controller?.abort(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller
    if (this.reason) controller.abort(this.reason)
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    // An interim answer precedes the real one.
    if (status >= 200) this.answer = { status, headers: firstValues(headers), head: '' }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.answer && this.received === 0) this.answer.head = chunk.toString('utf8', 0, HEAD_BYTES)
    this.received += chunk.length
    if (this.received <= MAX_ANSWER_BYTES) return
    const reason = new FetchRefusal(`the answer has more than ${MAX_ANSWER_BYTES} bytes`)
    this.settle(reason)
    controller.abort(reason)
  }

  onResponseEnd(): void {
    this.settle()
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.settle(error)
  }

  private settle(reason?: Error): void {
    if (this.isSettled) return
    this.isSettled = true
    clearTimeout(this.timer)
    this.onSettled()
    if (this.answer) this.resolve(this.answer)
    else this.reject(reason ?? new FetchRefusal('the answer has no status'))
  }
}

function timeOut(exchange: Exchange, timeoutMs: number): void {
  exchange.abort(new FetchRefusal(`no answer within ${timeoutMs} ms`))
}

/** Aborts exchanges by their signal, with one listener per signal: removing one of many listeners takes a search. */
function createAbortable() {
  const bySignal = new WeakMap<AbortSignal, Set<Exchange>>()

  function exchangesOf(signal: AbortSignal): Set<Exchange> {
    const known = bySignal.get(signal)
    if (known) return known
    const exchanges = new Set<Exchange>()
    bySignal.set(signal, exchanges)
    signal.addEventListener('abort', () => {
      for (const exchange of exchanges) exchange.abort(signal.reason)
    })
    return exchanges
  }

  return {
    add(signal: AbortSignal, exchange: Exchange): void {
      if (signal.aborted) return exchange.abort(signal.reason)
      const exchanges = exchangesOf(signal)
      exchanges.add(exchange)
      exchange.onSettled = () => exchanges.delete(exchange)
    },
  }
}

function firstValues(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const first: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers))
    first[name] = (typeof value === 'string' ? value : value?.[0]) ?? ''
  return first
}
