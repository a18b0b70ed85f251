import { type GatewayServices, gatewayError, type Session, type Sessions } from 'wamux/plugin'
import type { Archive } from './delivery/archive.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { ACTIVE, type Endpoints, newSecret, PAUSED } from './endpoints/endpoints.ts'
import type { Formats } from './formats/formats.ts'
import { NATIVE } from './formats/native.ts'

export interface WebhookInput {
  url: string
  /** Unchanged when absent, All for a new one. */
  subscribe?: readonly string[] | undefined
  format?: string | undefined
  edits?: Endpoint['edits'] | undefined
  events?: Endpoint['events'] | undefined
  transform?: Endpoint['transform'] | undefined
  filter?: Endpoint['filter'] | undefined
  headers?: Endpoint['headers'] | undefined
  includesToken?: boolean | undefined
  /** Unchanged when absent. */
  isPaused?: boolean | undefined
  /** Whether it is set by a key. */
  isByKey: boolean
}

/**
 * The changes that clients make to the endpoints of a session. For those of all sessions the session is undefined, and there
 * is no `main` one.
 */
export interface WebhookService {
  /** An endpoint by its id; the session's own webhook for `main` or undefined. Rejects ITEM_UNKNOWN. */
  find(session: Session | undefined, id: string | undefined): Promise<Endpoint>
  /** Sets the session's own webhook; an empty URL removes it. `secret` is returned if it was generated. */
  setMain(session: Session, input: WebhookInput): Promise<{ endpoint: Endpoint; secret: string | undefined }>
  add(session: Session | undefined, input: WebhookInput): Promise<Endpoint>
  change(session: Session | undefined, id: string, input: WebhookInput): Promise<Endpoint>
  remove(session: Session | undefined, id: string): Promise<void>
  /** Generates a new secret; for a day the old one also signs. */
  rotate(endpoint: Endpoint): Promise<Endpoint>
}

interface Deps {
  endpoints: Endpoints
  archive: Archive
  dispatcher: Dispatcher
  sessions: Sessions
  httpClient: GatewayServices['httpClient']
  formats: Formats
}

const DAY_MS = 24 * 3_600_000

export function createWebhookService(deps: Deps): WebhookService {
  const { endpoints, archive, dispatcher, sessions, httpClient, formats } = deps

  /** Throws FIELD_INVALID. @param before the endpoint to change. */
  function check(field: string, input: WebhookInput, before?: Endpoint): void {
    const { url, format, edits, events, transform } = input
    if (url) httpClient.check(field, url)
    if ([format, edits, events, transform].every((one) => one === undefined)) return
    formats.check({
      format: format ?? before?.format ?? NATIVE,
      edits: edits ?? '',
      events: events ?? [],
      transform: transform ?? before?.transform ?? {},
    })
  }
  function additional(session: Session | undefined, id: string): Endpoint {
    const all = session ? endpoints.of(session) : endpoints.global()
    const found = all.find((endpoint) => endpoint.id === id && !endpoint.isMain)
    if (!found) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
    return found
  }
  /** Changes an endpoint and, unless it is paused, enables it: its pending deliveries are attempted at once. */
  async function apply(id: string, change: Partial<Endpoint>, isPaused: boolean): Promise<Endpoint> {
    const endpoint = await endpoints.change(id, { ...change, ...(isPaused ? PAUSED : ACTIVE) })
    dispatcher.reset(id)
    return endpoint
  }

  return {
    async find(session, id) {
      if (!session || (id && id !== 'main')) return additional(session, id ?? '')
      const endpoint = await endpoints.main(session)
      if (!endpoint.url) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      return endpoint
    },
    async setMain(session, input) {
      check(
        'WebhookURL',
        input,
        endpoints.of(session).find(({ isMain }) => isMain),
      )
      const { url, subscribe, isPaused, ...fields } = input
      const change = { webhook: url, ...(subscribe ? { subscribe } : {}) }
      const before = await endpoints.main(await sessions.update(session.id, change))
      const secret = url && !before.secret ? newSecret() : undefined
      const fresh = { ...(secret ? { secret } : {}), ...given(fields) }
      const endpoint = await apply(before.id, fresh, url !== '' && (isPaused ?? before.state === 'paused'))
      if (!url) await archive.change(before.id, { state: 'pending' }, { state: 'dead', last: 'removed' })
      return { endpoint, secret }
    },
    async add(session, input) {
      check('URL', input)
      const { url, isPaused, ...fields } = input
      return endpoints.add(session, { url, ...given(fields), ...(isPaused ? PAUSED : ACTIVE) })
    },
    async change(session, id, input) {
      const before = additional(session, id)
      check('URL', input, before)
      const { url, isPaused = before.state === 'paused', ...fields } = input
      return apply(before.id, { url, ...given(fields) }, isPaused)
    },
    remove: (session, id) => endpoints.remove(additional(session, id).id),
    rotate: ({ id, secret }) =>
      endpoints.change(id, { secret: newSecret(), oldSecret: secret, oldUntil: Date.now() + DAY_MS }),
  }
}

/** The fields that have a value: the others are unchanged. `Edits` and `Events` take the defaults of a new format. */
function given(
  fields: Omit<WebhookInput, 'url' | 'isPaused'>,
): Partial<Omit<Endpoint, 'id' | 'session' | 'isMain'>> {
  const defaults = fields.format === undefined ? {} : { edits: '' as const, events: [] }
  const set = Object.entries(fields).filter(([, value]) => value !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}
