import { api, of } from '../api.ts'
import { isAdmin } from './sessions.tsx'

/** A webhook: of a session, or of all sessions. */
export interface Webhook {
  /** `main` for the session's own. */
  readonly id: string
  readonly isGlobal: boolean
  readonly url: string
  readonly subscribe: readonly string[]
  /** Name of its format. */
  readonly format: string
  /** Form of edits: native, unsupported or none. */
  readonly edits: string
  readonly state: string
  readonly reason: string
  readonly failingSince: string
}

interface View {
  readonly Id: string
  readonly URL: string
  readonly Subscribe: readonly string[]
  readonly Format: string
  readonly Edits: string
  readonly State: string
  readonly Reason: string
  readonly FailingSince: string
}

/** The webhooks of a session ('' for none), and for the administrator those of all sessions. */
export async function readWebhooks(session: string): Promise<Webhook[]> {
  const own = session ? (await api.get('/webhook/endpoints', undefined, of(session))).Endpoints : []
  const all = isAdmin() ? (await api.get('/webhook/global')).Endpoints : []
  return [...own.map((view) => toWebhook(view, false)), ...all.map((view) => toWebhook(view, true))]
}

/** Formats of webhooks: name and display title. */
export async function readFormats(session: string): Promise<readonly (readonly [string, string])[]> {
  const { Formats } = session
    ? await api.get('/webhook/endpoints', undefined, of(session))
    : await api.get('/webhook/global')
  return Formats.map(({ Name, Title }) => [Name, Title] as const)
}

/** What to replay: one event (`Id`), a range, or dead letters. */
export interface Replay {
  readonly Id?: string
  readonly FromSeq?: number
  readonly Since?: string
  readonly State?: 'dead' | 'done'
  readonly Missing?: boolean
}

/** Resolves to the number of redelivered events. */
export async function replay({ id, isGlobal }: Webhook, session: string, what: Replay): Promise<number> {
  const body = { Endpoint: id, ...what }
  if (isGlobal) return (await api.post('/webhook/global/replay', body)).Replayed
  return (await api.post('/webhook/replay', body, of(session))).Replayed
}

function toWebhook(view: View, isGlobal: boolean): Webhook {
  const {
    Id: id,
    URL: url,
    Subscribe: subscribe,
    Format: format,
    Edits: edits,
    State: state,
    Reason: reason,
    FailingSince: failingSince,
  } = view
  return { id, isGlobal, url, subscribe, format, edits, state, reason, failingSince }
}
