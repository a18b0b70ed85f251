import { type GatewayServices, gatewayError, type Session, type Sessions } from 'wamux/plugin'
import type { Archive } from './delivery/archive.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { type Endpoints, newSecret } from './endpoints/endpoints.ts'

export interface WebhookInput {
  url: string
  /** Unchanged when absent, All for a new one. */
  subscribe?: readonly string[] | undefined
  format?: Endpoint['format'] | undefined
}

/** What clients change about a session's receivers. */
export interface WebhookService {
  /** One by its id; the session's own webhook where none or `main` is asked for. */
  find(session: Session, id: string | undefined): Promise<Endpoint>
  /** The session's own; '' removes it. `secret` is the one that was made just now. */
  setMain(session: Session, input: WebhookInput): Promise<{ endpoint: Endpoint; secret: string | undefined }>
  add(session: Session, input: WebhookInput): Promise<Endpoint>
  change(session: Session, id: string, input: WebhookInput): Promise<Endpoint>
  remove(session: Session, id: string): Promise<void>
  /** A new secret; the old one signs beside it for a day. */
  rotate(endpoint: Endpoint): Promise<Endpoint>
}

interface Deps {
  endpoints: Endpoints
  archive: Archive
  dispatcher: Dispatcher
  sessions: Sessions
  httpClient: GatewayServices['httpClient']
}

const DAY_MS = 24 * 3_600_000
const WORKING = { state: 'active', reason: '', failingSince: 0 } as const

export function createWebhookService(deps: Deps): WebhookService {
  const { endpoints, archive, dispatcher, sessions, httpClient } = deps

  function check(field: string, { url }: WebhookInput): void {
    if (url) httpClient.check(field, url)
  }
  function further(session: Session, id: string): Endpoint {
    const found = endpoints.of(session).find((endpoint) => endpoint.id === id && !endpoint.isMain)
    if (!found) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
    return found
  }
  /** It works again as far as anybody knows: what waits is tried at once. */
  async function renew(id: string, change: Partial<Endpoint>): Promise<Endpoint> {
    const endpoint = await endpoints.change(id, { ...change, ...WORKING })
    dispatcher.reset(id)
    return endpoint
  }

  return {
    async find(session, id) {
      if (id && id !== 'main') return further(session, id)
      const endpoint = await endpoints.main(session)
      if (!endpoint.url) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      return endpoint
    },
    async setMain(session, input) {
      check('WebhookURL', input)
      const { url, subscribe, format } = input
      const change = { webhook: url, ...(subscribe ? { subscribe } : {}) }
      const before = await endpoints.main(await sessions.update(session.id, change))
      const secret = url && !before.secret ? newSecret() : undefined
      const endpoint = await renew(before.id, {
        ...(secret ? { secret } : {}),
        ...(format ? { format } : {}),
      })
      if (!url) await archive.change(before.id, { state: 'pending' }, { state: 'dead', last: 'removed' })
      return { endpoint, secret }
    },
    async add(session, input) {
      check('URL', input)
      const { url, subscribe, format } = input
      return endpoints.add(session, { url, subscribe: subscribe ?? ['All'], format: format ?? 'json' })
    },
    async change(session, id, input) {
      check('URL', input)
      const { url, subscribe, format } = input
      const fields = { ...(subscribe ? { subscribe } : {}), ...(format ? { format } : {}) }
      return renew(further(session, id).id, { url, ...fields })
    },
    remove: (session, id) => endpoints.remove(further(session, id).id),
    rotate: ({ id, secret }) =>
      endpoints.change(id, { secret: newSecret(), oldSecret: secret, oldUntil: Date.now() + DAY_MS }),
  }
}
