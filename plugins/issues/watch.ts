import {
  ALL_OWNED,
  coalesce,
  type Kernel,
  type Ownership,
  reasonOf,
  type Session,
  type SessionState,
} from 'wamux/plugin'
import type { Announcer } from './announcer.ts'
import type { IssuesConfig } from './config.ts'
import type { Issue } from './contract.ts'
import type { IssueState } from './events.ts'
import type { Issues, Report } from './issues.ts'
import type { NewOccurrence, Occurrence, Occurrences } from './occurrences.ts'

/** Looks regularly for issues that opened or closed, and records each in the event log of its session. */
interface Watch {
  start(): void
  stop(): Promise<void>
}

interface Deps extends Pick<Kernel<IssuesConfig>, 'config' | 'db' | 'events' | 'log' | 'peers' | 'sessions'> {
  issues: Issues
  occurrences: Occurrences
  announcer: Announcer
  ownership?: Ownership | undefined
}

/** What concerns all processes alike: one of them does it. */
export const TASK = '(issues)'

/** The issues of a process that has reported nothing for so long are closed: it was removed for good. */
const GONE_MS = 3_600_000
/** States that are issues at once. A short pause makes one announcement of the changes of many sessions. */
const LOST: ReadonlySet<SessionState> = new Set(['logged-out', 'replaced', 'banned', 'failed'])
const SOON_MS = 1_000

/**
 * Each issue is judged by one process, so each opens and closes once:
 *
 * - That of a session by the process that serves it (`node` undefined). The row and the event are one commit, which fails if
 *   the session is served elsewhere. While nobody serves it, it stays as it is.
 * - Any other by the process that reports it (`node` is its name), for example a failing check or a session without a node.
 *   While that process is silent or drains, it stays as it is.
 *
 * What is absent for `settleSeconds` is closed. That time begins anew with the process, so a source may need as long after
 * a restart to report what it knows.
 */
export function createWatch(deps: Deps): Watch {
  const { config, db, events, log, peers, sessions, issues, occurrences, announcer } = deps
  const { ownership = ALL_OWNED } = deps
  const self = ownership.name ?? ''
  const isDraining = (): boolean => ownership.isDraining?.() ?? false
  /** Since when issues are absent, by id of their occurrence; `performance.now()`. */
  const absent = new Map<string, number>()
  let isSoon = false
  let unwatch = (): void => undefined

  async function look(): Promise<void> {
    // Before a stop its checks fail on purpose; the others judge the sessions.
    if (isDraining()) return
    const reports = await issues.reports()
    if (isDraining()) return
    const known = new Map((await sessions.list()).map((session) => [session.id, session]))
    const served = new Set([...known.keys()].filter((session) => ownership.owns(session)))
    const reported = reportedOf(reports, known, (session) => (served.has(session) ? undefined : self))
    const isJudged = ({ node, session, seen }: Occurrence): boolean => {
      if (node === self || (node === undefined && served.has(session))) return true
      const isLeft = node === undefined ? !known.has(session) : seen < db.now() - GONE_MS
      return isLeft && ownership.owns(TASK)
    }
    const open = (await occurrences.list()).filter((one) => one.closed === 0 && isJudged(one))
    const isPresent = (one: Occurrence): boolean => reported.has(keyOf(one))
    const missing = open.filter((one) => !isPresent(one))
    const over = expire(missing, new Set(reports.flatMap(({ plugin, isFailed }) => (isFailed ? plugin : []))))
    await Promise.all(over.map((one) => end(one, served)))
    for (const one of open) reported.delete(keyOf(one))
    await Promise.all([...reported.values()].map(begin))
    const shown = open.filter((one) => one.node === self && !missing.includes(one))
    if (!peers.isAlone && shown.length > 0) await db.write([occurrences.seen(shown)])
    if (ownership.owns(TASK)) await announcer.announce()
  }

  /** Those that have been absent for long enough. A plugin that could not be asked knows nothing of its issues. */
  function expire(missing: readonly Occurrence[], failed: ReadonlySet<string>): Occurrence[] {
    const now = performance.now()
    const ids = new Set(missing.map(({ id }) => id))
    for (const id of absent.keys()) if (!ids.has(id)) absent.delete(id)
    for (const id of ids) if (!absent.has(id)) absent.set(id, now)
    return missing.filter(({ id, plugin }) => {
      const ms = now - (absent.get(id) ?? now)
      return ms >= config.settleSeconds * 1000 && !failed.has(plugin)
    })
  }

  async function begin(given: NewOccurrence): Promise<void> {
    const { id, write } = occurrences.create(given)
    const { issue, node } = given
    await change('opened', issue, () =>
      node === undefined
        ? events.raise(issue.session, 'issue.changed', { occurrence: id, state: 'opened', issue }, [write])
        : db.write([write], { isFromAnyNode: true }),
    )
  }

  async function end({ id, node, session }: Occurrence, served: ReadonlySet<string>): Promise<void> {
    const [detailed] = await occurrences.detailed([id])
    if (!detailed) return
    const { issue } = detailed
    const write = occurrences.closed(id)
    await change('closed', issue, () =>
      node === undefined && served.has(session)
        ? events.raise(issue.session, 'issue.changed', { occurrence: id, state: 'closed', issue }, [write])
        : db.write([write]),
    )
  }

  /** One that fails is found again by the next look, and must not keep the others from being told. */
  async function change(state: IssueState, issue: Issue, commit: () => Promise<unknown>): Promise<void> {
    const { cause, session, reason } = issue
    // The log redacts the field `subject`, which is the name of a group elsewhere.
    const about = { cause, concerns: issue.subject, session, reason }
    try {
      await commit()
      log.info(about, `issue ${state}`)
    } catch (error) {
      log.warn({ ...about, fault: reasonOf(error) }, `issue ${state}, which could not be stored`)
    }
  }

  const looking = coalesce(
    async () => {
      isSoon = false
      try {
        await look()
      } finally {
        if (!isSoon) looking.requestAt(Date.now() + config.seconds * 1000)
      }
    },
    {
      isRepeated: true,
      onError: (error) => log.error({ reason: reasonOf(error) }, 'looking for issues failed'),
    },
  )

  return {
    start() {
      // The first look comes after a pause, when the gateway has had time to start.
      looking.requestAt(Date.now() + config.seconds * 1000)
      unwatch = sessions.watch(({ to }) => {
        if (isSoon || !LOST.has(to)) return
        isSoon = true
        looking.requestAt(Date.now() + Math.min(SOON_MS, config.seconds * 1000))
      })
    },
    async stop() {
      unwatch()
      await looking.stop()
    },
  }
}

/** What the plugins report, each issue once; issues of sessions that are unknown here are left out. */
function reportedOf(
  reports: readonly Report[],
  known: ReadonlyMap<string, Session>,
  nodeOf: (session: string) => string | undefined,
): Map<string, NewOccurrence> {
  const found = new Map<string, NewOccurrence>()
  for (const { plugin, issues } of reports) {
    for (const issue of issues) {
      const { cause, subject, session } = issue
      const name = known.get(session)?.name
      if (session && name === undefined) continue
      const given = { plugin, node: nodeOf(session), issue, name: name ?? '' }
      const key = keyOf({ cause, subject, session, node: given.node })
      if (!found.has(key)) found.set(key, given)
    }
  }
  return found
}

function keyOf({
  cause,
  subject,
  session,
  node,
}: Pick<Occurrence, 'cause' | 'subject' | 'session' | 'node'>): string {
  return JSON.stringify([cause, subject, session, node ?? null])
}
