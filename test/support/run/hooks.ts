import { actions } from '../../../config/build/documents/action-rows.ts'
import { behaviourCases } from '../../../config/build/documents/behaviours.ts'
import { table } from '../../../config/build/documents/endpoints.ts'
import { dropDatabases } from '../databases.ts'
import { buildOnce } from './build.ts'
import { closeDurations, noteDuration, openDurations } from './durations.ts'
import { closeProofs, noteBehaviours, openProofs } from './proof.ts'
import { installTools } from './tools.ts'
import { isWhole } from './whole.ts'

/** In the process that runs the file. */
export const mochaHooks = {
  afterEach(this: Mocha.Context) {
    noteBehaviours(this.currentTest as Mocha.Test | undefined)
  },
  async afterAll(this: Mocha.Context) {
    await dropDatabases()
    await setClockBack()
    noteDuration(this.test?.parent?.suites ?? [])
  },
}

/** A test that fails before it stops its gateway leaves the clock ahead, which would fail the tests of the next file in this process. */
async function setClockBack(): Promise<void> {
  if (!globalThis.wamuxClock?.aheadMs) return
  const { setBack } = await import('../../../plugins/sandbox/clock/clock.ts')
  setBack()
}

export function mochaGlobalSetup(): void {
  buildOnce()
  if (isWhole) installTools()
  openProofs()
  openDurations()
}

/** Prints how many endpoints and behaviours were proved; a whole run in which one was not is a failed one. */
export function mochaGlobalTeardown(): void {
  const { shown, refused, behaviour } = closeProofs()
  const names = table.map(({ method, path }) => `${method} ${path}`)
  const own = actions.flatMap((group) => group.actions.map(({ endpoint }) => endpoint))
  const cases = [...behaviourCases().keys()]
  const missing = [
    ...[...names, ...own].filter((name) => !shown.has(name) || !refused.has(name)),
    ...cases.filter((name) => !behaviour.has(name)),
  ]
  const count = (proved: ReadonlySet<string>, of: readonly string[]): string =>
    `${of.filter((name) => proved.has(name)).length} of ${of.length}`
  process.stdout.write(`\n  the files that took longest:\n${closeDurations()}`)
  process.stdout.write(
    `\n  endpoints whose effect was seen on the other side: ${count(shown, names)}\n` +
      `  endpoints with a refusal that changed nothing: ${count(refused, names)}\n` +
      `  further actions whose effect was seen, and refused: ${count(shown, own)}, ${count(refused, own)}\n` +
      `  ranked behaviours with a passed case: ${behaviour.size} of ${cases.length}\n`,
  )
  if (isWhole && missing.length > 0) throw new Error(`without proof: ${missing.join(', ')}`)
}
