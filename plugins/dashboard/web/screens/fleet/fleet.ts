import { type Signal, signal } from '@preact/signals'
import { api, textOf } from '../../api.ts'
import { follow, type Live } from '../../live.ts'
import type { Summary } from './summary.ts'

export interface Fleet {
  /** undefined until they have been read once. */
  readonly sessions: Signal<ReadonlyMap<string, Summary> | undefined>
  readonly error: Signal<string>
  /** Names of nodes that do not answer. */
  readonly unanswered: Signal<readonly string[]>
  readonly live: Live
  reload(): Promise<void>
  close(): void
}

/** Interval for rereading numbers that no state change reports. */
const REFRESH_MS = 10_000

/** All sessions, live: changes are streamed, and one request reads all. */
export function openFleet(): Fleet {
  const sessions: Fleet['sessions'] = signal(undefined)
  const error = signal('')
  const unanswered: Fleet['unanswered'] = signal([])

  async function reload(): Promise<void> {
    try {
      const { Sessions, Unanswered } = await api.call<{ Sessions: Summary[]; Unanswered: string[] }>(
        'get',
        '/session/summary',
      )
      unanswered.value = Unanswered
      sessions.value = new Map(Sessions.map((session) => [session.Id, kept(session)]))
      error.value = ''
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  /** Keeps the known object if nothing has changed, so that its card is not rendered again. */
  function kept(session: Summary): Summary {
    const known = sessions.value?.get(session.Id)
    return known && JSON.stringify(known) === JSON.stringify(session) ? known : session
  }

  const live = follow('/session/summary/stream', ({ data }) => {
    const { Sessions, Deleted } = data as { Sessions: Summary[]; Deleted: string[] }
    // The first event of a stream, or one after a node has come or gone: earlier changes are not in it.
    if (Sessions.length + Deleted.length === 0) return void reload()
    const changed = new Map(sessions.value)
    for (const session of Sessions) {
      const Node = session.Node || changed.get(session.Id)?.Node || ''
      changed.set(session.Id, { ...session, Node })
    }
    for (const id of Deleted) changed.delete(id)
    sessions.value = changed
  })
  const timer = setInterval(() => {
    if (!document.hidden) void reload()
  }, REFRESH_MS)
  return {
    sessions,
    error,
    unanswered,
    live,
    reload,
    close() {
      clearInterval(timer)
      live.close()
    },
  }
}
