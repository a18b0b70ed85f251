import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { type Calls, callsOf } from './calls.ts'
import { ADMIN } from './gateway.ts'
import { BUILT, compile } from './run/build.ts'

/** A gateway in a process of its own: of the build where the test run made one, else from source as `npm start` does. */
export interface GatewayProcess extends Calls {
  readonly url: string
  readonly pid: number
  readonly lines: string[]
  /** Resolves when it ended, by whatever cause. */
  readonly ended: Promise<unknown>
  /** Sends a signal and resolves with how it ended: exit code, or the signal's name. */
  end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals>
}

const running = new Set<ChildProcess>()
// None must outlive a run that is broken off.
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

/**
 * @param imports modules that it loads before its own.
 * @param isSource runs the source, also where the test run made a build: modules that it loads may change its parts.
 */
export async function startProcess(
  env: Record<string, string>,
  command: string | readonly string[] = 'start',
  imports: readonly string[] = [],
  { isSource = false } = {},
): Promise<GatewayProcess> {
  const child = spawn(
    process.execPath,
    [...mainOf(imports, isSource), ...(typeof command === 'string' ? [command] : command)],
    {
      env: { PATH: process.env['PATH'] ?? '', WAMUX_PORT: '0', WAMUX_ADMIN_TOKEN: ADMIN, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  const lines: string[] = []
  const ended = once(child, 'exit') as Promise<[number | null, NodeJS.Signals | null]>
  running.add(child)
  void ended.then(() => running.delete(child))
  const url = await listening(child, lines, ended)
  return {
    url,
    pid: child.pid ?? 0,
    lines,
    ended,
    ...callsOf({ url }),
    async end(signal) {
      child.kill(signal)
      const [code, by] = await ended
      return code ?? by ?? 'SIGKILL'
    },
  }
}

/** Arguments of Node that run wamux's command line. @param imports modules that are loaded first. */
export function mainOf(imports: readonly string[] = [], isSource = false): string[] {
  const isBuilt = process.env[BUILT] === 'yes' && !isSource
  const first = isBuilt
    ? imports.map((module) => (module.endsWith('.ts') ? compile(module) : module))
    : ['tsx', ...imports]
  return [
    ...(isBuilt ? [] : ['--conditions=wamux:source']),
    ...first.flatMap((module) => ['--import', module]),
    resolve(isBuilt ? 'dist/config/cli/main.js' : 'config/cli/main.ts'),
  ]
}

/** Arguments of Node that run a module of JavaScript, which imports modules of the build: from source they would load in twice the time. */
export function scriptOf(module: string): string[] {
  return ['--conditions=wamux:modules', '--input-type=module', '--eval', module]
}

/** The address in its "gateway listening" line; rejects with its output when it ends before that. */
function listening(child: ChildProcess, lines: string[], ended: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = (line: string): void => {
      lines.push(line)
      if (!line.includes('"gateway listening"')) return
      resolve((JSON.parse(line) as { url: string }).url)
    }
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', take)
    void ended.then(() => reject(new Error(`it ended before it listened:\n${lines.join('\n')}`)))
  })
}
