import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

/** Lines of code in a folder or file, without blank ones and comments. */
function linesOf(path: string): number {
  const files = path.endsWith('.ts')
    ? [path]
    : readdirSync(path, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => join(path, name))
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'))
  return lines.filter((line) => line.trim() !== '' && !/^\s*(\/\/|\/?\*)/.test(line)).length
}

const SIZES: readonly [what: string, paths: readonly string[], max: number][] = [
  ['the kernel', ['kernel'], 4_220],
  ['wiring and contract', ['kernel/wiring', 'kernel/types', 'kernel/plugin.ts'], 1_500],
]

describe('the size of the kernel', () => {
  for (const [what, paths, max] of SIZES) {
    const lines = paths.reduce((sum, path) => sum + linesOf(path), 0)
    it(`is ${lines} lines of code for ${what}, at most ${max}`, () => {
      expect(lines).to.be.within(1, max)
    })
  }
})
