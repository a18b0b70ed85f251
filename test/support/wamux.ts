import { execFile } from 'node:child_process'
import { mainOf } from './process.ts'

export interface Ended {
  /** Exit code, or the name of the signal that ended it. */
  readonly code: number | string
  readonly out: string
  readonly err: string
}

/** Runs the command line with this environment alone, until it ends. @param imports modules that it loads before its own. */
export function wamux(
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  imports: readonly string[] = [],
): Promise<Ended> {
  const all = { PATH: process.env['PATH'] ?? '', ...env }
  return new Promise((done) => {
    execFile(process.execPath, [...mainOf(imports), ...args], { env: all }, (error, out, err) => {
      done({ code: error ? (error.code ?? error.signal ?? 1) : 0, out, err })
    })
  })
}
