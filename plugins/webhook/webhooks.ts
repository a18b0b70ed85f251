import { type GatewayServices, gatewayError, type PluginDb, type Row, type Session } from 'wamux/plugin'
import type { WebhookConfig } from './config.ts'
import type { OwnEndpoint, OwnEndpointView, SignedPost, Webhooks } from './contract.ts'
import { type Archive, untried } from './delivery/archive.ts'
import type { Completions } from './delivery/completions.ts'
import { commonHeaders } from './delivery/requests.ts'
import type { Dispatcher } from './dispatch/dispatcher.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { ACTIVE, type Endpoints } from './endpoints/endpoints.ts'
import { JSON_HEADERS } from './formats/native.ts'
import { sign } from './formats/sign.ts'

interface Deps extends Pick<GatewayServices, 'httpClient'> {
  config: WebhookConfig
  db: PluginDb
  endpoints: Endpoints
  archive: Archive
  completions: Completions
  dispatcher: Dispatcher
}

export function createWebhooks(deps: Deps): Webhooks {
  const { db, endpoints, archive, completions, dispatcher, httpClient } = deps
  const idOf = ({ id }: Session, name: string): string => `ep_${name}_${id}`
  const find = (session: Session, name: string): Endpoint | undefined => endpoints.byId(idOf(session, name))

  async function activate(id: string, change: Partial<OwnEndpoint> = {}): Promise<Endpoint> {
    const endpoint = await endpoints.change(id, { ...change, ...ACTIVE })
    dispatcher.reset(id)
    return endpoint
  }

  return {
    of(session, name) {
      const endpoint = find(session, name)
      return endpoint && toView(endpoint)
    },
    async set(session, name, endpoint) {
      httpClient.check('URL', endpoint.url)
      const id = idOf(session, name)
      if (!endpoints.byId(id)) await endpoints.addNamed(session, { ...endpoint, id })
      return toView(await activate(id, endpoint))
    },
    async remove(session, name) {
      const endpoint = find(session, name)
      if (endpoint) await endpoints.remove(endpoint.id)
      return endpoint !== undefined
    },
    async progress(session, name) {
      await completions.flush()
      const endpoint = idOf(session, name)
      const inState = (state: 'pending' | 'dead') =>
        // A literal, not a parameter: SQLite uses the partial index only when the state is part of the statement.
        db.read<Row>(db.table('deliveries')).where({ endpoint }).whereRaw(`state = '${state}'`)
      const [waiting, dead] = await Promise.all([countOf(inState('pending')), countOf(inState('dead'))])
      const failures = await Promise.all(
        (['pending', 'dead'] as const).map((state) =>
          inState(state).whereNotNull('at').orderBy('at', 'desc').first('at', 'last'),
        ),
      )
      const last = failures
        .filter((row) => row !== undefined)
        .sort((a, b) => Number(b['at']) - Number(a['at']))
        .at(0)
      return { waiting, dead, lastError: String(last?.['last'] ?? '') }
    },
    async retry(session, name) {
      const endpoint = find(session, name)
      if (!endpoint) throw gatewayError('ITEM_UNKNOWN', ['Webhook'])
      await archive.change(endpoint.id, { state: 'dead' }, untried('dead'))
      await activate(endpoint.id)
    },
    post: (url, request) => postSigned(deps, url, request),
  }
}

async function countOf(query: {
  count(what: object): { first(): PromiseLike<Row | undefined> }
}): Promise<number> {
  return Number((await query.count({ count: '*' }).first())?.['count'] ?? 0)
}

function toView({ id, url, format, subscribe, secret, state, reason }: Endpoint): OwnEndpointView {
  return { id, url, format, subscribe, secret, state, reason }
}

interface Parts extends Pick<GatewayServices, 'httpClient'> {
  config: Pick<WebhookConfig, 'timeoutMs'>
}

/** Posts a request that is no delivery. Rejects with the reason unless the answer is 2xx. */
async function postSigned(
  { httpClient, config: { timeoutMs } }: Parts,
  url: string,
  { id, body: text, secret, attempt }: SignedPost,
): Promise<void> {
  const now = Date.now()
  const body = Buffer.from(text)
  const headers = {
    ...JSON_HEADERS,
    ...commonHeaders({ id, now }, attempt),
    ...(secret ? sign(body, secret, { id, now, oldSecret: undefined }) : {}),
  }
  const { status } = await httpClient.post(url, { body, headers, timeoutMs })
  if (status < 200 || status >= 300) throw new Error(`status ${status}`)
}
