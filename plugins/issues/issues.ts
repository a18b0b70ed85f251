import { type Kernel, type Log, reasonOf, type Session, type Sessions, type Viewer } from 'wamux/plugin'
import type { Issue } from './contract.ts'

/** Issues of the same cause and subject. */
export interface IssueGroup
  extends Pick<Issue, 'cause' | 'level' | 'subject' | 'reason' | 'remedy' | 'since'> {
  /** The sessions that it concerns, in the order of their issues; none for one of the gateway. */
  readonly sessions: readonly Session[]
  readonly waiting: number
  /** '' for none. */
  readonly request: string
  /** '' for none. */
  readonly screen: string
}

export interface Issues {
  /**
   * What needs a person now, errors first, the oldest first. Issues of sessions that the viewer does not see are left out,
   * and those of the gateway unless an operator asks.
   */
  list(viewer: Viewer, isOperator: boolean): Promise<IssueGroup[]>
  /** What each plugin reports in this process. */
  reports(): Promise<Report[]>
}

export interface Report {
  readonly plugin: string
  readonly issues: readonly Issue[]
  /** It could not be asked: `issues` only says so. */
  readonly isFailed: boolean
}

interface Deps extends Pick<Kernel<unknown>, 'contributions'> {
  sessions: Sessions
  log: Log
}

interface Found extends Issue {
  readonly of: Session | undefined
}

export function createIssues({ contributions, sessions, log }: Deps): Issues {
  const reports = (): Promise<Report[]> =>
    Promise.all(
      contributions('issues').map(async ({ plugin, value }) => {
        try {
          return { plugin, issues: await value.list(), isFailed: false }
        } catch (error) {
          log.error({ plugin, reason: reasonOf(error) }, 'its issues could not be read')
          return { plugin, issues: [unknownOf(plugin, reasonOf(error))], isFailed: true }
        }
      }),
    )

  return {
    reports,
    async list(viewer, isOperator) {
      const [reported, known] = await Promise.all([reports(), sessions.list()])
      const issues = reported.flatMap((report) => report.issues)
      const visible = new Map(known.filter(viewer.seesSession).map((session) => [session.id, session]))
      const groups = new Map<string, Found[]>()
      for (const issue of issues.toSorted(byAge)) {
        const { cause, subject, session } = issue
        const of = visible.get(session)
        if (session ? !of : !isOperator) continue
        const key = JSON.stringify([cause, subject, session === ''])
        const group = groups.get(key)
        if (group) group.push({ ...issue, of })
        else groups.set(key, [{ ...issue, of }])
      }
      return [...groups.values()].map(toGroup).sort(byUrgency)
    },
  }
}

/** Reason and remedy come from the oldest one. */
function toGroup(found: readonly Found[]): IssueGroup {
  const {
    cause,
    level,
    subject,
    reason,
    remedy,
    since,
    request = '',
    screen,
    screenOfMany,
  } = found[0] as Found
  const sessions = [...new Set(found.flatMap(({ of }) => of ?? []))]
  const waiting = found.reduce((sum, issue) => sum + (issue.waiting ?? 0), 0)
  const place = (sessions.length > 1 ? screenOfMany : screen) ?? ''
  return { cause, level, subject, reason, remedy, since, request, screen: place, sessions, waiting }
}

/** Those of which the begin is unknown come last. */
function byAge(a: Pick<Issue, 'since'>, b: Pick<Issue, 'since'>): number {
  return (a.since || Number.POSITIVE_INFINITY) - (b.since || Number.POSITIVE_INFINITY) || 0
}

function byUrgency(a: IssueGroup, b: IssueGroup): number {
  return Number(a.level === 'warning') - Number(b.level === 'warning') || byAge(a, b)
}

function unknownOf(plugin: string, reason: string): Issue {
  return {
    cause: 'unknown',
    level: 'error',
    subject: plugin,
    session: '',
    reason,
    remedy: 'Read the log: what this plugin knows could not be read.',
    screen: '/health',
    since: 0,
  }
}
