import { Cron } from 'croner'
import {
  ALL_OWNED,
  gatewayError,
  inProgress,
  type Kernel,
  type Ownership,
  type Row,
  reasonOf,
  startTimer,
  type Timer,
} from 'wamux/plugin'
import type { Schedule } from './contract.ts'
import { TASK } from './queues.ts'

/** The state of a schedule. Times are milliseconds since 1970; 0 for none. */
export interface ScheduleState {
  readonly name: string
  readonly next: number
  readonly lastEnd: number
  /** Error of the last run; '' if it succeeded. */
  readonly error: string
}

export interface Schedules {
  /** Plans the schedules of all plugins. Rejects FIELD_INVALID for one whose times can't be read. */
  start(): Promise<void>
  states(): Promise<ScheduleState[]>
  stop(): Promise<void>
}

type Deps = Pick<Kernel<unknown>, 'contributions' | 'db' | 'log'> & { ownership?: Ownership | undefined }

/** A later run is planned again after this time, since the clock may be set. */
const MOST_MS = 60_000

export function createSchedules({ contributions, db, log, ownership = ALL_OWNED }: Deps): Schedules {
  const timers = new Map<string, Timer>()
  const plans = new Map<string, number>()
  const running = new Set<Promise<void>>()
  let isStopped = false

  const lastOf = async (name: string): Promise<Row | undefined> =>
    db.read<Row>(db.table('runs')).where({ name }).first()

  async function plan(name: string, schedule: Schedule): Promise<void> {
    const next = nextOf(schedule, Number((await lastOf(name))?.['ended'] ?? 0))
    plans.set(name, next)
    arm(name, schedule, next)
  }
  function arm(name: string, schedule: Schedule, planned: number): void {
    if (isStopped) return
    const wait = Math.max(0, planned - Date.now())
    const work = async (): Promise<void> => {
      // A run that the clock has passed, for example while the machine slept, is made up for once.
      if (planned > Date.now()) return plan(name, schedule)
      if (ownership.owns(TASK)) await run(name, schedule, planned)
      await plan(name, schedule)
    }
    const start = (): void => {
      const one = inProgress(work())
        .catch((error: unknown) => {
          log.error({ schedule: name, reason: reasonOf(error) }, 'schedule not planned; trying again')
          arm(name, schedule, Date.now() + MOST_MS)
        })
        .finally(() => running.delete(one))
      running.add(one)
    }
    // A process that does not own the task checks again later, when the owner may be gone.
    const least = ownership.owns(TASK) ? 0 : 1_000
    const ms = Math.max(least, Math.min(wait, MOST_MS))
    timers.set(name, startTimer(ms, start, { isRepeated: true }))
  }

  async function run(name: string, schedule: Schedule, planned: number): Promise<void> {
    // Another process may have run it before it handed the task over.
    const last = await lastOf(name)
    if (schedule.cron && Number(last?.['planned'] ?? 0) >= planned) return
    const error = await schedule.run().then(
      () => '',
      (cause: unknown) => reasonOf(cause).slice(0, 1_000),
    )
    if (error) log.error({ schedule: name, reason: error }, 'scheduled run failed')
    await db.write([db.put('runs', ['name'], [{ name, planned, ended: Date.now(), error }])])
  }

  const all = (): [string, Schedule][] =>
    contributions('jobs').flatMap(({ plugin, value }) =>
      Object.entries(value.schedules ?? {}).map(([name, schedule]): [string, Schedule] => [
        `${plugin}.${name}`,
        schedule,
      ]),
    )
  return {
    async start() {
      for (const [name, schedule] of all()) {
        assertReadable(name, schedule)
        await plan(name, schedule)
      }
    },
    states: () =>
      Promise.all(
        all().map(async ([name]) => {
          const last = await lastOf(name)
          const [lastEnd, error] = [Number(last?.['ended'] ?? 0), String(last?.['error'] ?? '')]
          return { name, next: plans.get(name) ?? 0, lastEnd, error }
        }),
      ),
    async stop() {
      isStopped = true
      for (const timer of timers.values()) timer.stop()
      await Promise.all(running)
    },
  }
}

function nextOf({ everySeconds, cron = '', timeZone = 'UTC' }: Schedule, lastEnd: number): number {
  if (everySeconds !== undefined) return lastEnd + everySeconds * 1000
  return new Cron(cron, { timezone: timeZone }).nextRun()?.getTime() ?? Number.MAX_SAFE_INTEGER
}

function assertReadable(name: string, { everySeconds, cron, timeZone = 'UTC' }: Schedule): void {
  const invalid = (why: string): Error => gatewayError('FIELD_INVALID', [`schedule ${name}`, why])
  if ((everySeconds === undefined) === (cron === undefined)) throw invalid('give everySeconds or cron')
  if (everySeconds !== undefined && !(everySeconds > 0)) throw invalid('everySeconds must be more than 0')
  if (cron === undefined) return
  try {
    new Cron(cron, { timezone: timeZone }).nextRun()
  } catch (error) {
    throw invalid(reasonOf(error))
  }
}
