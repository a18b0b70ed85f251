import { setTimeout as wait } from 'node:timers/promises'

const STEP_MS = 10

/** Begins `work` so many times a second, whether earlier work has ended or not; resolves when all of it has. */
export async function atRate(
  rate: number,
  seconds: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  const running = new Set<Promise<unknown>>()
  const began = performance.now()
  let failure: unknown
  for (let index = 0; index < rate * seconds; ) {
    const due = Math.min(rate * seconds, ((performance.now() - began) / 1000) * rate)
    for (; index < due; index += 1) {
      const one: Promise<unknown> = work(index)
        .catch((error: unknown) => {
          failure ??= error
        })
        .finally(() => running.delete(one))
      running.add(one)
    }
    await wait(STEP_MS)
  }
  await Promise.all(running)
  if (failure !== undefined) throw failure
}
