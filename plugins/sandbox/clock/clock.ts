import { setTimeout as sleep } from 'node:timers/promises'
import {
  clock,
  createSerialQueue,
  type DueWork,
  gatewayError,
  inProgress,
  type Log,
  type PluginDb,
  type Row,
  reasonOf,
  withTimeout,
} from 'wamux/plugin'

/** The time of this process, gateway and network together, which tests set forward. */
export interface SandboxClock {
  readonly aheadMs: number
  /** Sets it as far ahead as it was before the restart. */
  open(): Promise<void>
  /** Sets it forward. Resolves when what became due meanwhile has run. Rejects FIELD_INVALID if it is too far ahead then. */
  advance(ms: number): Promise<void>
  /** Sets it back to the machine's, unless another gateway of this process still uses it. */
  close(): void
}

interface Parts {
  db: PluginDb
  log: Log
  /** Called after each jump. */
  onMoved(): void
}

interface Planned {
  readonly work: DueWork
  readonly wait: number
}

const KEY = ['id']
const YEAR_MS = 365 * 86_400_000
const MAX_AHEAD_MS = 10 * YEAR_MS
/** Work that is due within this time runs in one step, in order. */
const STEP_MS = 1_000
/** After this real time the steps become longer, so that work that is due every few seconds can't take forever. */
const EXACT_MS = 15_000
const LONG_STEPS = 50
/** How long a step waits for its work: a receiver may never answer. */
const PATIENCE_MS = 5_000
/** Work that begins other work, for example an event that begins a delivery, does so within this time. */
const QUIET_MS = 15
const TURN_MS = 5

/** Gateways of this process with this plugin; tests have several. */
let users = 0
let restore = (): void => undefined

/**
 * A jump goes from one due time to the next: each step sets the clock forward, runs what is due in order of time, and waits for
 * it, since it may plan the next one (a delivery that failed again). Repeated work runs once, at the end.
 */
export function createClock({ db, log, onMoved }: Parts): SandboxClock {
  const jumps = createSerialQueue()
  let isOpen = false

  async function advance(ms: number): Promise<void> {
    const target = clock.aheadMs + ms
    if (target > MAX_AHEAD_MS)
      throw gatewayError('FIELD_INVALID', ['Advance', 'would set the clock more than ten years ahead'])
    // First, so that nothing stored is later than the clock after a crash.
    await db.write([db.put('clock', KEY, [{ id: 1, ahead: target }])])
    clock.isMoving = true
    try {
      await pass(target)
    } finally {
      clock.isMoving = false
    }
    if (!isOpen) return
    onMoved()
    await runOverdue()
    await settled()
    log.info({ ahead: clock.aheadMs }, 'clock set forward')
  }

  /** From one due time to the next. */
  async function pass(target: number): Promise<void> {
    await settled()
    const began = performance.now()
    let least = STEP_MS
    for (let left = target - clock.aheadMs; left > 0 && isOpen; left = target - clock.aheadMs) {
      const planned = await planOf(({ isRepeated }) => !isRepeated)
      const step = Math.min(left, Math.ceil(Math.max(least, planned[0]?.wait ?? left)))
      setAhead(clock.aheadMs + step)
      run(planned.filter(({ wait }) => wait <= step))
      await settled()
      if (least === STEP_MS && performance.now() - began > EXACT_MS) least = left / LONG_STEPS
    }
  }

  /** Repeated work, and timers started while a step was planned. */
  async function runOverdue(): Promise<void> {
    run((await planOf(() => true)).filter(({ wait }) => wait <= 0))
  }

  function run(planned: readonly Planned[]): void {
    for (const { work } of planned) {
      if (!clock.due.has(work)) continue
      const failed = (error: unknown): void => log.error({ reason: reasonOf(error) }, 'due work failed')
      void inProgress(Promise.resolve().then(() => work.run())).catch(failed)
    }
  }

  return {
    get aheadMs() {
      return clock.aheadMs
    },
    async open() {
      isOpen = true
      users += 1
      clock.isMovable = true
      const row = await db.read<Row>(db.table('clock')).first('ahead')
      const ahead = Number(row?.['ahead'] ?? 0)
      if (ahead <= clock.aheadMs) return
      setAhead(ahead)
      await runOverdue()
      log.info({ ahead }, 'clock is ahead, as before the restart')
    },
    advance: (ms) => jumps.run(() => advance(ms)),
    close() {
      if (!isOpen) return
      isOpen = false
      users -= 1
      if (users <= 0) setBack()
    },
  }
}

/** Sets the clock of this process back to the machine's, even if a test failed before it stopped its gateway. */
export function setBack(): void {
  users = 0
  clock.aheadMs = 0
  clock.isMovable = false
  restore()
  restore = () => undefined
}

function setAhead(ms: number): void {
  if (clock.aheadMs === 0) restore = replaceDate(() => clock.aheadMs)
  clock.aheadMs = ms
  for (const work of clock.due) work.moved?.()
}

/** In order of time. */
async function planOf(isWanted: (work: DueWork) => boolean): Promise<Planned[]> {
  const wanted = [...clock.due].filter(isWanted)
  const planned = await Promise.all(wanted.map(async (work) => ({ work, wait: await work.wait() })))
  return planned.sort((a, b) => a.wait - b.wait)
}

/** Resolves when no work has been in progress for a moment. */
async function settled(): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  let quietSince = performance.now()
  while (performance.now() - quietSince < QUIET_MS && performance.now() < until) {
    await sleep(TURN_MS)
    if (clock.inProgress.size === 0) continue
    const work = Promise.allSettled(clock.inProgress)
    await withTimeout(work, Math.max(0, until - performance.now()), () => undefined)
    quietSince = performance.now()
  }
}
/** Replaces `Date` by one that is ahead of the machine's clock; returns a function that restores it. */
function replaceDate(aheadMs: () => number): () => void {
  const own = globalThis.Date
  const now = (): number => own.now() + aheadMs()
  // A proxy rather than a subclass: existing dates stay instances of `Date`.
  const moved: DateConstructor = new Proxy(own, {
    construct: (date, args, target) =>
      Reflect.construct(date, args.length === 0 ? [now()] : args, target === moved ? date : target),
    apply: () => new own(now()).toString(),
    get: (date, name) => (name === 'now' ? now : Reflect.get(date, name)),
  })
  globalThis.Date = moved
  return () => {
    if (globalThis.Date === moved) globalThis.Date = own
  }
}
