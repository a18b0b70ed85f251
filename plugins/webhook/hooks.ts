import { type Events, type GatewayServices, gatewayError, type Session, type Sessions } from 'wamux/plugin'
import type { Archive } from './archive.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Endpoint } from './endpoint.ts'
import { type Endpoints, newSecret } from './endpoints.ts'

export interface Wish {
  url: string
  subscribe?: readonly string[] | undefined
  format?: Endpoint['format'] | undefined
}

/** What clients change about a session's receivers. */
export interface Hooks {
  /** One by its id; the session's own webhook where none or `main` is asked for. */
  find(session: Session, id: string | undefined): Promise<Endpoint>
  /** The session's own; '' removes it. `secret` is the one that was made just now. */
  setFirst(session: Session, wish: Wish): Promise<{ endpoint: Endpoint; secret: string | undefined }>
  add(session: Session, wish: Wish): Promise<Endpoint>
  change(session: Session, id: string, wish: Wish): Promise<Endpoint>
  remove(session: Session, id: string): Promise<void>
  /** A new secret; the old one signs beside it for a day. */
  rotate(endpoint: Endpoint): Promise<Endpoint>
}

interface Deps {
  endpoints: Endpoints
  archive: Archive
  dispatcher: Dispatcher
  sessions: Sessions
  events: Events
  http: GatewayServices['http']
}

const DAY_MS = 24 * 3_600_000
const WORKING = { state: 'active', reason: '', failingSince: 0 } as const

export function createHooks(deps: Deps): Hooks {
  const { endpoints, archive, dispatcher, sessions, events, http } = deps

  function check(field: string, { url, subscribe }: Wish): void {
    events.assertClasses(subscribe)
    if (url) http.check(field, url)
  }
  function further(session: Session, id: string): Endpoint {
    const found = endpoints.of(session).find((endpoint) => endpoint.id === id && !endpoint.isFirst)
    if (!found) throw gatewayError('ITEM_UNKNOWN', ['Endpoint'])
    return found
  }
  /** It works again as far as anybody knows: what waits is tried at once. */
  async function renew(id: string, change: Partial<Endpoint>): Promise<Endpoint> {
    const endpoint = await endpoints.change(id, { ...change, ...WORKING })
    dispatcher.rewind(id)
    return endpoint
  }

  return {
    async find(session, id) {
      if (id && id !== 'main') return further(session, id)
      const endpoint = await endpoints.first(session)
      if (!endpoint.url) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      return endpoint
    },
    async setFirst(session, wish) {
      check('WebhookURL', wish)
      const { url, subscribe, format } = wish
      const change = { webhook: url, ...(subscribe?.length ? { subscribe } : {}) }
      const before = await endpoints.first(await sessions.update(session.id, change))
      const secret = url && !before.secret ? newSecret() : undefined
      const endpoint = await renew(before.id, {
        ...(secret ? { secret } : {}),
        ...(format ? { format } : {}),
      })
      if (!url) await archive.change(before.id, { state: 'pending' }, { state: 'dead', last: 'removed' })
      return { endpoint, secret }
    },
    async add(session, wish) {
      check('URL', wish)
      const { url, subscribe, format } = wish
      const classes = subscribe?.length ? subscribe : ['All']
      return endpoints.add(session, { url, subscribe: classes, format: format ?? 'json' })
    },
    async change(session, id, wish) {
      check('URL', wish)
      const { url, subscribe, format } = wish
      const fields = { ...(subscribe?.length ? { subscribe } : {}), ...(format ? { format } : {}) }
      return renew(further(session, id).id, { url, ...fields })
    },
    remove: (session, id) => endpoints.remove(further(session, id).id),
    rotate: ({ id, secret }) =>
      endpoints.change(id, { secret: newSecret(), oldSecret: secret, oldUntil: Date.now() + DAY_MS }),
  }
}
