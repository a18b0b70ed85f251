import {
  createInterval,
  type Interval,
  type Kernel,
  reasonOf,
  type Session,
  type StateChange,
} from 'wamux/plugin'
import type { WebVersionConfig } from './config.ts'
import type { KnownVersion } from './known-version.ts'
import type { VersionRefusal } from './refusals.ts'
import { compareVersions, parseVersion } from './revision.ts'
import { type CurrentVersion, PAUSE_MS, type WebVersions } from './web-versions.ts'

/** Looks the version up once a day, and retries sessions that were refused with theirs. */
export interface Upkeep {
  start(): void
  stop(): Promise<void>
}

interface Parts extends Pick<Kernel<WebVersionConfig>, 'config' | 'db' | 'log' | 'sessions'> {
  webVersions: Pick<WebVersions, 'current' | 'refresh' | 'refusals' | 'isUsed'>
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Many gateways must not look it up at the same time. */
const JITTER_MS = 2 * HOUR_MS

export function createUpkeep({ config, db, log, sessions, webVersions }: Parts): Upkeep {
  /** Sessions that are `failed` because they were refused again. */
  const failed = new Set<string>()
  const jitter = (Math.random() * 2 - 1) * JITTER_MS
  let unwatch = (): void => undefined

  function onChange({ session, to, cause }: StateChange): void {
    if (to === 'failed' && cause === 'outdated') failed.add(session)
    else failed.delete(session)
  }

  function dueAt({ began, problem }: KnownVersion): number {
    // Due now if the clock was wrong then.
    if (began > db.now()) return 0
    if (failed.size > 0) return began + PAUSE_MS
    return began + (problem ? HOUR_MS : DAY_MS + jitter)
  }

  async function check(): Promise<void> {
    // A session of this process, by whose way the version is looked up.
    const [waiting] = failed
    if (!waiting && !webVersions.isUsed()) return
    const { known } = await webVersions.current()
    if (dueAt(known) <= db.now()) await webVersions.refresh(known.began, waiting)
    if (failed.size === 0) return
    const current = await webVersions.current()
    for (const session of [...failed]) await retry(session, current)
  }

  /** Retries at each newer version, and once an hour. */
  async function retry(id: string, current: CurrentVersion): Promise<void> {
    const [session, refusal] = await Promise.all([sessions.byId(id), webVersions.refusals.find(id)])
    if (!session || !isFailed(session) || !refusal?.isLinked) return void failed.delete(id)
    if (!isDue(refusal, current)) return
    failed.delete(id)
    await sessions
      .connect(id, { wait: false })
      .catch((error: unknown) =>
        log.warn({ session: id, reason: reasonOf(error) }, 'session not reconnected'),
      )
  }

  function isDue({ at, version }: VersionRefusal, current: CurrentVersion): boolean {
    return db.now() - at >= HOUR_MS || compareVersions(current.version, parseVersion(version)) > 0
  }

  const interval: Interval = createInterval(config.webVersionCheckMs, check, (error) =>
    log.warn({ reason: reasonOf(error) }, 'check of the WhatsApp Web version failed'),
  )
  return {
    start() {
      unwatch = sessions.watch(onChange)
      interval.start()
    },
    stop() {
      unwatch()
      return interval.stop()
    },
  }
}

function isFailed({ state, cause }: Session): boolean {
  return state === 'failed' && cause === 'outdated'
}
