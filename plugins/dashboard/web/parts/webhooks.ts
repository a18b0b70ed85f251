import { api, of } from '../api.ts'
import { isAdmin } from './sessions.ts'

/** A webhook: of a session, or of all sessions. */
export interface Webhook {
  /** `main` for the session's own. */
  readonly id: string
  readonly isGlobal: boolean
  /** Set by the configuration of the gateway: no call changes it. */
  readonly isFixed: boolean
  readonly url: string
  readonly subscribe: readonly string[]
  readonly filter: EndpointFilter
  /** Names of its own headers; values are never shown. */
  readonly headers: readonly string[]
  /** Name of its format. */
  readonly format: string
  /** Form of edits: native, unsupported or none. */
  readonly edits: EndpointEdits
  /** Chosen names of the format's own events. */
  readonly events: readonly string[]
  readonly transform: object
  readonly includesToken: boolean
  readonly state: string
  readonly reason: string
  readonly failingSince: string
}

export type EndpointEdits = 'native' | 'unsupported' | 'none'

export interface EndpointFilter {
  readonly Types?: string[]
  readonly OwnMessages?: boolean
  readonly Groups?: boolean
  readonly Statuses?: boolean
  readonly Newsletters?: boolean
  readonly AllowChats?: string[]
  readonly DenyChats?: string[]
}

interface View {
  readonly Id: string
  readonly URL: string
  readonly Subscribe: readonly string[]
  readonly Format: string
  readonly Edits: EndpointEdits
  readonly Events?: readonly string[]
  readonly Transform?: object
  readonly Filter?: EndpointFilter
  readonly Headers?: Readonly<Record<string, string>>
  readonly IncludeToken?: boolean
  readonly State: string
  readonly Reason: string
  readonly FailingSince: string
}

/** Id of the webhook that the configuration sets. */
const CONFIGURED = 'ep_configured'

/** The webhooks of a session ('' for none), and for the administrator those of all sessions. */
export async function readWebhooks(session: string): Promise<Webhook[]> {
  const own = session ? (await api.get('/webhook/endpoints', undefined, of(session))).Endpoints : []
  const all = isAdmin() ? (await api.get('/webhook/global')).Endpoints : []
  return [...own.map((view) => toWebhook(view, false)), ...all.map((view) => toWebhook(view, true))]
}

/** The webhooks of one place, and what may be chosen for them. */
export async function readOffer(session: string) {
  const { Endpoints, Formats, Classes } = session
    ? await api.get('/webhook/endpoints', undefined, of(session))
    : await api.get('/webhook/global')
  return {
    webhooks: Endpoints.map((view) => toWebhook(view, session === '')),
    formats: Formats,
    classes: Classes,
  }
}

/** The fields of a webhook to set; absent ones are unchanged. */
export interface WebhookFields {
  readonly Subscribe?: string[]
  readonly Filter?: EndpointFilter
  readonly Headers?: Record<string, string>
  readonly Format?: string
  readonly Edits?: EndpointEdits
  readonly Events?: string[]
  readonly Transform?: object
  readonly Paused?: boolean
  readonly IncludeToken?: boolean
}

/**
 * Adds a webhook, or changes the one with that id. Resolves to the secret of a new one.
 *
 * @param id `main` for the session's own, also a new one; undefined for another new one.
 */
export async function saveWebhook(
  session: string,
  id: string | undefined,
  url: string,
  { IncludeToken, ...fields }: WebhookFields,
): Promise<string | undefined> {
  const place = { URL: url, ...(id ? { Id: id } : {}) }
  const token = IncludeToken === undefined ? {} : { IncludeToken }
  if (!session) return (await api.post('/webhook/global', { ...place, ...fields, ...token })).Secret
  if (id !== 'main')
    return (await api.post('/webhook/endpoints', { ...place, ...fields }, of(session))).Secret
  return (await api.post('/webhook', { WebhookURL: url, ...fields }, of(session))).Secret
}

/** Removes it with its pending deliveries. */
export async function removeWebhook({ id, isGlobal }: Webhook, session: string): Promise<void> {
  if (isGlobal) await api.delete('/webhook/global', { Id: id })
  else if (id === 'main') await api.post('/webhook', { WebhookURL: '' }, of(session))
  else await api.delete('/webhook/endpoints', { Id: id }, of(session))
}

/** What to replay: one event (`Id`), a range, dead letters, or what failed with an error. */
export interface Replay {
  readonly Id?: string
  readonly FromSeq?: number
  readonly Since?: string
  readonly Until?: string
  readonly State?: 'dead' | 'done'
  readonly Missing?: boolean
  readonly Error?: string
}

/** Resolves to the number of redelivered events. */
export async function replay(
  { id, isGlobal }: Pick<Webhook, 'id' | 'isGlobal'>,
  session: string,
  what: Replay,
): Promise<number> {
  const body = { Endpoint: id, ...what }
  if (isGlobal) return (await api.post('/webhook/global/replay', body)).Replayed
  return (await api.post('/webhook/replay', body, of(session))).Replayed
}

function toWebhook(view: View, isGlobal: boolean): Webhook {
  return {
    isGlobal,
    id: view.Id,
    isFixed: view.Id === CONFIGURED,
    url: view.URL,
    subscribe: view.Subscribe,
    filter: view.Filter ?? {},
    headers: Object.keys(view.Headers ?? {}),
    format: view.Format,
    edits: view.Edits,
    events: view.Events ?? [],
    transform: view.Transform ?? {},
    includesToken: view.IncludeToken ?? false,
    state: view.State,
    reason: view.Reason,
    failingSince: view.FailingSince,
  }
}
