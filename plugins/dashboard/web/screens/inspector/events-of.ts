import { api, login, of } from '../../api.ts'
import { isAdmin } from '../../parts/sessions.ts'
import { type EventFields, type EventRow, toEventRow } from './event-row.ts'

/** The query in the screen's address. */
export interface Filters {
  readonly session: string
  readonly type: string
  readonly chat: string
  /** Id of an event or a message. */
  readonly id: string
}

interface Page {
  readonly rows: EventRow[]
  /** The next `before`; 0 at the end. */
  readonly before: number
}

/** The session whose rights the requests need; '' for the administrator, who reads all. */
export function sessionOf({ session }: Filters): string {
  return isAdmin() ? '' : session || login.value?.Session || ''
}

export async function readOlder(filters: Filters, before: number | undefined): Promise<Page> {
  const path = isAdmin() ? '/events/global/history' : '/events/history'
  const query = {
    ...queryOf(filters),
    limit: '100',
    ...(before === undefined ? {} : { before: String(before) }),
  }
  const session = sessionOf(filters)
  const { Events, Before } = await api.call<{ Events: EventFields[]; Before: number }>(
    'get',
    path,
    query,
    session ? of(session) : {},
  )
  return { rows: Events.map(toEventRow), before: Before }
}

/** One event, which may be older than the list. */
export async function readEvent(id: string, filters: Filters): Promise<EventRow | undefined> {
  const { rows } = await readOlder({ session: filters.session, id, type: '', chat: '' }, undefined)
  return rows.find((row) => row.id === id)
}

export function streamPath(filters: Filters): string {
  const query = new URLSearchParams(queryOf(filters)).toString()
  return `/events/${isAdmin() ? 'global/' : ''}stream${query ? `?${query}` : ''}`
}

function queryOf({ session, type, chat, id }: Filters): Record<string, string> {
  return {
    ...(type ? { types: type } : {}),
    ...(chat ? { allowchats: chat } : {}),
    ...(id ? { id } : {}),
    ...(isAdmin() && session ? { session } : {}),
  }
}

/** Seq of the newest event that the login may read; 0 for none. */
export async function newestSeq({ session }: Filters): Promise<number> {
  const path = isAdmin() ? '/events/global/history' : '/events/history'
  const named = sessionOf({ session, type: '', chat: '', id: '' })
  const { Events } = await api.call<{ Events: EventFields[] }>(
    'get',
    path,
    { limit: '1' },
    named ? of(named) : {},
  )
  return Number(Events[0]?.seq ?? 0)
}
