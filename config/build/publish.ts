import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** In this time a command that was being loaded has what it imports. */
const LOADING_MS = 1_000

/**
 * Puts the files of a build in the place of the one before, while processes run from there: at every moment each file is there, old or
 * new, and with it those that it names, because their names change with their content. Moves the files; both folders must be on
 * one disk.
 *
 * @param isKept whether a file that the build does not have stays, by its path in the folder
 */
export function publish(from: string, to: string, isKept: (path: string) => boolean = () => false): void {
  const files = filesIn(from)
  const isNew = (path: string): boolean => !existsSync(join(to, path))
  // Nothing names these yet, unlike those that are replaced.
  const added = files.filter(isNew)
  const names = new Set(files)
  const stale = filesIn(to).filter((path) => !names.has(path) && !isKept(path))
  for (const path of [...added, ...files.filter((path) => !added.includes(path))]) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    renameSync(join(from, path), join(to, path))
  }
  if (stale.length > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LOADING_MS)
  for (const path of stale) rmSync(join(to, path), { force: true })
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(folder).length + 1))
}
