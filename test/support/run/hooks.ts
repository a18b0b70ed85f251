import { table } from '../../interface/tables.ts'
import { dropDatabases } from '../databases.ts'
import { buildOnce } from './build.ts'
import { closeDurations, noteDuration, openDurations } from './durations.ts'
import { closeProofs, openProofs } from './proof.ts'
import { installTools } from './tools.ts'
import { isWhole } from './whole.ts'

/** After each file, in the process that ran it. */
export const mochaHooks = {
  async afterAll(this: Mocha.Context) {
    await dropDatabases()
    noteDuration(this.test?.parent?.suites ?? [])
  },
}

export function mochaGlobalSetup(): void {
  buildOnce()
  if (isWhole) installTools()
  openProofs()
  openDurations()
}

/** Prints how many endpoints were proved; a whole run in which one was not is a failed one. */
export function mochaGlobalTeardown(): void {
  const { shown, refused } = closeProofs()
  const names = table.map(({ method, path }) => `${method} ${path}`)
  const missing = names.filter((name) => !shown.has(name) || !refused.has(name))
  const count = (proved: ReadonlySet<string>): number => names.filter((name) => proved.has(name)).length
  process.stdout.write(`\n  the files that took longest:\n${closeDurations()}`)
  process.stdout.write(
    `\n  endpoints whose effect was seen on the other side: ${count(shown)} of ${names.length}\n` +
      `  endpoints with a refusal that changed nothing: ${count(refused)} of ${names.length}\n`,
  )
  if (isWhole && missing.length > 0) throw new Error(`without proof: ${missing.join(', ')}`)
}
