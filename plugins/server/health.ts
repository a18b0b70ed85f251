import {
  type Contributed,
  contributed,
  type HealthCheck,
  type Kernel,
  reasonOf,
  withTimeout,
} from 'wamux/plugin'

export interface CheckResult {
  readonly name: string
  readonly plugin: string
  readonly isOk: boolean
  /** '' if it passes. */
  readonly why: string
  readonly ms: number
  /** When it was first seen to fail, milliseconds since 1970; 0 if it passes. */
  readonly since: number
}

/** The checks declared by the plugins. */
export interface Health {
  /** Runs all of them concurrently. Calls within a second share a run, because anyone may call. Never rejects. */
  check(): Promise<readonly CheckResult[]>
}

const SHARE_MS = 1_000
const TIMEOUT_MS = 3_000

export function createHealth({ contributions }: Pick<Kernel<unknown>, 'contributions'>): Health {
  /** When each failing check began to fail, by name. */
  const since = new Map<string, number>()
  let last: { results: Promise<readonly CheckResult[]>; endedAt: number } | undefined

  async function runOne(check: Contributed<HealthCheck>): Promise<CheckResult> {
    const result = await run(check)
    if (result.isOk) since.delete(check.name)
    else if (!since.has(check.name)) since.set(check.name, Date.now())
    return { ...result, since: since.get(check.name) ?? 0 }
  }

  return {
    check() {
      if (last && Date.now() - last.endedAt < SHARE_MS) return last.results
      const results = Promise.all(contributed(contributions('healthChecks')).map(runOne))
      const own = { results, endedAt: Number.POSITIVE_INFINITY }
      last = own
      void results.then(() => {
        own.endedAt = Date.now()
      })
      return results
    },
  }
}

async function run({
  name,
  plugin,
  timeoutMs = TIMEOUT_MS,
  check,
}: Contributed<HealthCheck>): Promise<Omit<CheckResult, 'since'>> {
  const began = performance.now()
  const work = async (): Promise<string> => (await check()) ?? ''
  const why = await withTimeout(work().catch(reasonOf), timeoutMs, () => `no answer within ${timeoutMs} ms`)
  return { name, plugin, isOk: why === '', why, ms: Math.round(performance.now() - began) }
}
