import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'

/** The variable that tells the tests that `dist` is what the source is. */
export const BUILT = 'WAMUX_TEST_BUILT'

/**
 * Builds wamux once for all tests that start it or pack it: a process of the build is up in half the time. Types are checked
 * elsewhere.
 */
export function buildOnce(): void {
  if (process.env[BUILT] === 'yes') return
  rmSync('dist', { recursive: true, force: true })
  execFileSync('npx', ['tsc', '-p', 'tsconfig.build.json', '--noCheck'], { stdio: 'inherit' })
  process.env[BUILT] = 'yes'
}
