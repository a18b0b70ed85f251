import { api, of } from '../../api.ts'
import { readWebhooks, type Webhook } from '../../parts/webhooks.ts'
import type { EndpointCondition } from './condition.ts'

export interface Watched {
  readonly webhook: Webhook
  readonly health: EndpointCondition | undefined
}

/** The webhooks of a session ('' for those of all sessions), with the state of their deliveries. */
export async function readWatched(session: string): Promise<Watched[]> {
  const webhooks = (await readWebhooks(session)).filter(({ isGlobal }) => isGlobal === (session === ''))
  if (webhooks.length === 0) return []
  const { Endpoints } = session
    ? await api.get('/webhook/health', undefined, of(session))
    : await api.get('/webhook/global/health')
  return webhooks.map((webhook) => ({ webhook, health: Endpoints.find(({ Id }) => Id === webhook.id) }))
}
