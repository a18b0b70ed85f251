import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

export interface Place {
  cwd: string
  env: NodeJS.ProcessEnv
}

const LIMIT_S = 150

/** Runs shell text to its end; rejects with everything that it printed when it fails or takes too long. */
export function run(text: string, { cwd, env }: Place): Promise<string> {
  return new Promise((resolve, reject) => {
    const script = `set -euo pipefail\n${text}`
    execFile(
      'timeout',
      [String(LIMIT_S), 'bash', '-c', script],
      { cwd, env, maxBuffer: 64e6 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`${text}\n${stdout}${stderr}`, { cause: error }))
        else resolve(stdout + stderr)
      },
    )
  })
}

export interface Service {
  readonly url: string
  readonly lines: string[]
  /** SIGTERM to all of its processes; resolves when they have ended. */
  stop(): Promise<void>
}

/** Starts a command that goes on until it is stopped; resolves when its gateway listens. */
export async function serve(text: string, { cwd, env }: Place): Promise<Service> {
  // A group of its own: npm and its shell pass no signals on.
  const child = spawn('bash', ['-c', `exec ${text}`], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = once(child, 'close')
  const lines: string[] = []
  const url = await listening(child, lines, ended)
  return {
    url,
    lines,
    async stop() {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGTERM')
      await ended
    },
  }
}

function listening(child: ChildProcess, lines: string[], ended: Promise<unknown>): Promise<string> {
  return new Promise((resolve, reject) => {
    const take = (line: string): void => {
      lines.push(line)
      if (line.includes('"gateway listening"')) resolve((JSON.parse(line) as { url: string }).url)
    }
    for (const stream of [child.stdout, child.stderr])
      if (stream) createInterface({ input: stream }).on('line', take)
    void ended.then(() => reject(new Error(`it ended before it listened:\n${lines.join('\n')}`)))
  })
}
