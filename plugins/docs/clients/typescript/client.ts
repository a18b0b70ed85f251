import { WamuxError } from './error.ts'
import { createRequest, type Sending } from './request.ts'
import { SENDS } from './sends.ts'
import { stream } from './stream.ts'
import type {
  BodyOf,
  CallOptions,
  ClientOptions,
  DataOf,
  GatewayEvent,
  GatewayPaths,
  Method,
  ParamsOf,
  PathOf,
  QueryOf,
  StreamOptions,
} from './types.ts'

type Options<Paths, M extends Method, P extends keyof Paths> = CallOptions &
  ([ParamsOf<Paths, M, P>] extends [never] ? unknown : { params: ParamsOf<Paths, M, P> })

/** Input and options are optional if nothing in them is required. */
type Input<Given, Options> = [Given] extends [never]
  ? object extends Options
    ? [input?: undefined, options?: Options]
    : [input: undefined, options: Options]
  : object extends Options
    ? object extends Given
      ? [input?: Given, options?: Options]
      : [input: Given, options?: Options]
    : [input: Given, options: Options]

type WithBody<Paths, M extends Method> = <P extends PathOf<Paths, M>>(
  path: P,
  ...input: Input<BodyOf<Paths, M, P>, Options<Paths, M, P>>
) => Promise<DataOf<Paths, M, P>>

/** Every method resolves with the data of the envelope, and rejects with a WamuxError. */
export interface Client<Paths = GatewayPaths> {
  get<P extends PathOf<Paths, 'get'>>(
    path: P,
    ...input: Input<QueryOf<Paths, 'get', P>, Options<Paths, 'get', P>>
  ): Promise<DataOf<Paths, 'get', P>>
  post: WithBody<Paths, 'post'>
  put: WithBody<Paths, 'put'>
  patch: WithBody<Paths, 'patch'>
  delete: WithBody<Paths, 'delete'>
  /** Calls a route that is not in the types, for example of your own plugin. */
  call<T = unknown>(method: Method, path: string, input?: object, options?: CallOptions): Promise<T>
  /**
   * Yields events as they are logged, from `after` on. It reconnects automatically and misses none. It ends when `signal` aborts
   * or the loop is left, and throws a WamuxError if the gateway refuses, for example with EVENTS_DROPPED.
   */
  events(options?: StreamOptions): AsyncGenerator<GatewayEvent, void, undefined>
}

/**
 * A client of a gateway.
 *
 * @example
 * const wamux = createClient({ url: 'http://localhost:8080', token })
 * const { Id } = await wamux.post('/send/text', { Phone: '5511999999999', Body: 'Hello' })
 */
export function createClient<Paths = GatewayPaths>(options: ClientOptions): Client<Paths> {
  const request = createRequest(options)
  const call = async <T>(
    method: Method,
    path: string,
    input?: object,
    given: CallOptions = {},
  ): Promise<T> => {
    const response = await request.send(sendingOf(method, path, input, given))
    return (await readAnswer(response)) as T
  }
  const by =
    (method: Method) =>
    (path: string, input?: object, given?: CallOptions): Promise<never> =>
      call(method, path, input, given)
  return {
    get: by('get'),
    post: by('post'),
    put: by('put'),
    patch: by('patch'),
    delete: by('delete'),
    call,
    events: (given = {}) => stream(request, given),
  }
}

function sendingOf(method: Method, path: string, input: object | undefined, options: CallOptions): Sending {
  const { params = {}, headers = {}, idempotencyKey, signal } = options
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new TypeError(`${path}: params.${name} is missing`)
    return encodeURIComponent(value)
  })
  const isSend = method === 'post' && SENDS.has(path)
  const hasId = Object.keys(input ?? {}).some((name) => /^(id|messageid)$/i.test(name))
  const key = idempotencyKey ?? (isSend && !hasId ? newKey() : undefined)
  return {
    method: method.toUpperCase(),
    path: method === 'get' ? `${place}${queryOf(input)}` : place,
    headers: { ...(key ? { 'idempotency-key': key } : {}), ...headers },
    ...(method === 'get' || input === undefined ? {} : { body: JSON.stringify(input) }),
    isRepeatable: options.retry ?? (isSend || method === 'get' || method === 'put'),
    ...(signal ? { signal } : {}),
  }
}

function queryOf(input: object | undefined): string {
  const given = Object.entries(input ?? {}).filter(([, value]) => value !== undefined && value !== null)
  const query = new URLSearchParams(Object.fromEntries(given.map(([name, value]) => [name, String(value)])))
  return given.length > 0 ? `?${query}` : ''
}

async function readAnswer(response: Response): Promise<unknown> {
  const type = response.headers.get('content-type') ?? ''
  try {
    if (/^application\/json/.test(type)) {
      const body = (await response.json()) as object
      return 'success' in body && 'data' in body ? body.data : body
    }
    return await (/^text\/(plain|html)/.test(type) ? response.text() : response.blob())
  } catch (cause) {
    throw new WamuxError('The answer was cut off', { code: 0, errorCode: 'NETWORK', cause })
  }
}

/** randomUUID is missing in pages that are not served over HTTPS. */
function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')
}
