import { Readable } from 'node:stream'
import {
  ALL_OWNED,
  eventStream,
  type Kernel,
  type Ownership,
  type RouteBuilder,
  T,
  type Viewer,
  withTimeout,
} from 'wamux/plugin'
import { type Summaries, Summary, type SummaryDeps } from './summaries.ts'

type Deps = Pick<Kernel<unknown>, 'sessions'> &
  SummaryDeps & { summaries: Summaries; ownership?: Ownership | undefined }

/** Changes within this time are sent together: hundreds of sessions may reconnect at once. */
const TOGETHER_MS = 250
const HEARTBEAT_MS = 15_000

/** For operators: all sessions of the credentials in one request. */
export const summaryRoutes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.get('/session/summary', {
    summary: 'Summarize the sessions: state, last 24 hours, outbox, pending deliveries',
    description:
      'The administrator gets all sessions, a key its sessions, and a token its own; without their tokens. `GET /session/summary/stream` sends the changes.',
    access: 'known',
    response: T.Object({
      Sessions: T.Array(Summary),
      Unanswered: T.Array(T.String(), {
        description:
          'Names of nodes that did not answer: the `State` of the sessions that they serve is `unknown`',
      }),
    }),
    handle: async (request, { sessions, summaries }) => ({
      Sessions: await summaries.of((await sessions.list()).filter(request.viewer.seesSession)),
      Unanswered: [],
    }),
  }),
  r.get('/session/summary/stream', {
    summary: 'Stream the summaries of sessions whose state changes as server-sent events',
    description:
      'The data of each event has `Sessions`, as in `GET /session/summary`, and `Deleted`, the ids of deleted sessions. Read the summaries after each event in which both are empty: the first one, and one whenever a node appears or is lost. A comment every 15 seconds serves as heartbeat.',
    access: 'known',
    response: T.Unknown({ contentMediaType: 'text/event-stream', description: 'Server-sent events' }),
    async handle(request, deps) {
      return eventStream(Readable.from(changes(request.viewer, deps, request.signal)))
    },
  }),
]

async function* changes(
  viewer: Viewer,
  { sessions, summaries, ownership = ALL_OWNED }: Deps,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const changed = new Set<string>()
  const seen = new Set<string>()
  let wake = (): void => undefined
  const unwatch = sessions.watch(({ session }) => {
    changed.add(session)
    wake()
  })
  const wait = (ms: number): Promise<void> =>
    withTimeout(
      new Promise<void>((resolve) => {
        wake = resolve
        if (signal.aborted) resolve()
      }),
      ms,
      () => undefined,
    )
  signal.addEventListener('abort', () => wake())
  try {
    for (const one of await sessions.list()) if (viewer.seesSession(one)) seen.add(one.id)
    yield `data: ${JSON.stringify({ Sessions: [], Deleted: [] })}\n\n`
    while (!signal.aborted) {
      if (changed.size === 0) await wait(HEARTBEAT_MS)
      if (signal.aborted) return
      if (changed.size === 0) {
        yield ': alive\n\n'
        continue
      }
      await withTimeout(new Promise<void>(() => undefined), TOGETHER_MS, () => undefined)
      const ids = [...changed]
      changed.clear()
      const found = await Promise.all(ids.map((id) => sessions.byId(id)))
      const shown = found.filter((one) => one !== undefined).filter(viewer.seesSession)
      for (const { id } of shown) seen.add(id)
      const Deleted = ids.filter((id, at) => !found[at] && seen.delete(id))
      // One that is handed over ends here, and the node that has it now says how it is.
      const Sessions = await summaries.of(shown.filter(({ id }) => ownership.owns(id)))
      if (Sessions.length + Deleted.length > 0) yield `data: ${JSON.stringify({ Sessions, Deleted })}\n\n`
    }
  } finally {
    unwatch()
  }
}
