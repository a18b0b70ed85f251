import { table } from '../interface/tables.ts'
import { proofs } from './proof.ts'

/** Prints how many endpoints were proved; a whole run in which one was not is a failed one. */
export const mochaHooks = {
  afterAll(this: Mocha.Context): void {
    const { shown, refused } = proofs()
    const names = table.map(({ method, path }) => `${method} ${path}`)
    const missing = names.filter((name) => !shown.has(name) || !refused.has(name))
    const count = (proved: ReadonlySet<string>): number => names.filter((name) => proved.has(name)).length
    process.stdout.write(
      `\n  endpoints whose effect was seen on the other side: ${count(shown)} of ${names.length}\n` +
        `  endpoints with a refusal that changed nothing: ${count(refused)} of ${names.length}\n`,
    )
    const isWhole = process.env['WAMUX_TEST_ALL'] === 'yes'
    if (isWhole && missing.length > 0) throw new Error(`without proof: ${missing.join(', ')}`)
  },
}
