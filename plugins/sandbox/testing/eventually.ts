import { inspect } from 'node:util'

export interface Patience {
  /** A value that changes while there is progress, by default the outcome of the check. The wait continues while it changes. */
  progress?: () => unknown
  /** Time without a change after which the wait fails. */
  quietMs?: number
}

/** Pause between two checks. */
const TURN_MS = 20
export const QUIET_MS = 40_000

/**
 * Checks repeatedly, where there is no event to wait for, until `check` returns something truthy; a check that throws does not
 * hold yet. Rejects when nothing has changed for a number of turns: a busy machine, on which a turn takes longer, gets more
 * time.
 *
 * @example await eventually(() => waiting() === 0, 'receipts drained', { progress: waiting })
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  what: string,
  { progress, quietMs = QUIET_MS }: Patience = {},
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  let known: string | undefined
  let value: unknown
  let error: unknown
  for (let quiet = 0; quiet * TURN_MS < quietMs; quiet += 1) {
    try {
      error = undefined
      value = await check()
      if (value) return value as never
    } catch (thrown) {
      error = thrown
    }
    const now = textOf(progress ? progress() : (error ?? value))
    if (now !== known) quiet = 0
    known = now
    await new Promise((resolve) => setTimeout(resolve, TURN_MS))
  }
  const seen = error ?? (progress ? `the progress stayed ${known}` : `it stayed ${textOf(value)}`)
  throw new Error(`not ${what}, and nothing new for ${quietMs / 1000} s: ${textOf(seen)}`, { cause: error })
}

function textOf(value: unknown): string {
  if (value instanceof Error) return value.message
  if (typeof value === 'string') return value
  return inspect(value, { depth: 4, breakLength: Number.POSITIVE_INFINITY }).slice(0, 1_000)
}
