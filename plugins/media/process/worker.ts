import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Log, withTimeout } from 'wamux/plugin'
import { type FrameFields, readFrames, writeFrame } from './frames.ts'

/** A process that does one job at a time. */
export interface Worker {
  /** False once the process has ended, or is about to. */
  readonly isUsable: boolean
  /**
   * Sends a job and resolves with the answer, or with `error` if the time is over, which ends the process. Rejects if the process
   * ends by itself.
   */
  ask(job: FrameFields, timeoutMs: number): Promise<FrameFields>
  /** Ends the process and the programs it has started; resolves when its folder is deleted. */
  end(): Promise<void>
}

export interface WorkerOptions {
  /** Module that the process runs. */
  readonly module: URL
  readonly argument: string
  /** In which the process gets a folder for its files, deleted when it ends. */
  readonly folder: string
  readonly maxBytes: number
  readonly log: Log
}

/** Of the process's own channel, after standard input, output and error. */
const CHANNEL = 3
const START_MS = 30_000
/** Pictures and sound are not on the heap. */
const HEAP_MB = 256
const MAX_STDERR = 2_000

/** Resolves when the process is ready for a job. */
export async function startWorker({
  module,
  argument,
  folder,
  maxBytes,
  log,
}: WorkerOptions): Promise<Worker> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = await mkdtemp(join(folder, 'worker-'))
  const child = spawn(
    process.execPath,
    [`--max-old-space-size=${HEAP_MB}`, ...loaderOf(module), fileURLToPath(module), argument],
    // A group of its own: it is ended together with its programs, and a Ctrl+C in a terminal is for the gateway alone.
    { cwd: own, detached: true, stdio: ['ignore', 'ignore', 'pipe', 'pipe'] },
  )
  const channel = child.stdio[CHANNEL] as Socket
  let words = ''
  let isEnded = false
  let take: ((fields: FrameFields) => void) | undefined
  let failed: ((error: Error) => void) | undefined
  child.stderr?.on('data', (text: Buffer) => {
    words = (words + text.toString()).slice(-MAX_STDERR)
  })
  const ended = new Promise<void>((resolve) => {
    const end = (how: string): void => {
      if (isEnded) return
      isEnded = true
      // What it has started ends with it, also if it crashed.
      killGroup(child)
      failed?.(new Error(how))
      void rm(own, { recursive: true, force: true })
        .catch((cause: unknown) => log.warn({ folder: own, err: cause }, 'folder not deleted'))
        .then(resolve)
    }
    child.once('exit', (code, signal) => end(`the process that converts files ended (${signal ?? code})`))
    child.once('error', (error) => end(`the process that converts files can't be started: ${error.message}`))
    channel.once('error', () => killGroup(child))
  })
  readFrames(channel, maxBytes, (fields) => take?.(fields))

  function answer(): Promise<FrameFields> {
    return new Promise<FrameFields>((resolve, reject) => {
      if (isEnded) return reject(new Error('the process that converts files has ended'))
      take = resolve
      failed = reject
    }).finally(() => {
      take = undefined
      failed = undefined
    })
  }

  async function end(): Promise<void> {
    killGroup(child)
    await ended
  }

  function late(): never {
    void end()
    throw new Error('the process that converts files does not answer')
  }

  await withTimeout(answer(), START_MS, late).catch((error: unknown) => {
    log.error({ err: error, words: words.trim() }, 'no process for files')
    throw error
  })
  let isLast = false
  return {
    get isUsable() {
      return !isEnded && !isLast
    },
    async ask(job, timeoutMs) {
      const answering = answer()
      writeFrame(channel, job)
      const fields = await withTimeout<FrameFields, FrameFields>(answering, timeoutMs, () => {
        void end()
        return { error: 'it takes too long: use a smaller file, or raise WAMUX_MEDIA_CONVERT_TIMEOUT_MS' }
      })
      const { isLast: last, ...answered } = fields
      isLast = last === true
      return answered
    },
    end,
  }
}

/** From source, TypeScript needs a loader; a release has JavaScript. */
function loaderOf(module: URL): string[] {
  if (!module.pathname.endsWith('.ts')) return []
  return ['--import', pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href]
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Windows has no groups; elsewhere nothing is left of it.
    child.kill('SIGKILL')
  }
}
