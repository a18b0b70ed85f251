import { rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { gatewayError, type Kernel, type Log, reasonOf } from 'wamux/plugin'
import type { Given, MediaWork, WorkConfig } from '../worker/work.ts'
import type { FrameFields } from './frames.ts'
import { createFairQueue } from './queue.ts'
import { startWorker, type Worker } from './worker.ts'

/** Work on files outside the process that serves: what a file costs or breaks there concerns one request. */
export interface Processes {
  /**
   * Runs a function of the work (worker/work.ts). Rejects MEDIA_UNSUPPORTED with the reason why it can't be done, MEDIA_BUSY if too
   * many files of the session wait, MEDIA_FAILED if the process ended.
   *
   * @param field of the request, named in errors.
   */
  run<K extends keyof MediaWork>(
    session: string,
    field: string,
    name: K,
    input: Parameters<MediaWork[K]>[0],
  ): ReturnType<MediaWork[K]>
  /** Deletes what a gateway that was killed left in the folder of the processes. */
  prepare(): Promise<void>
  close(): Promise<void>
}

export interface ProcessDeps {
  readonly config: WorkConfig
  readonly settings: Pick<Kernel<unknown>['settings'], 'dataDir'>
  readonly log: Log
}

/** Each needs hundreds of megabytes for a large picture. */
const MAX_WORKERS = 4
const IDLE_MS = 60_000
const MAX_WAITING = 100
/** Of the largest file; what waits is in memory. */
const WAITING_FILES = 2
/** After the time that a worker gives its own programs: it can then still answer what it has, or why not. */
const GRACE_MS = 1_000
/** A video becomes another one in several times the time of any other work. */
const VIDEO_FACTOR = 6

/** @param module of the processes (worker/main.ts). */
export function createProcesses(module: URL, { config, settings, log }: ProcessDeps): Processes {
  const folder = join(settings.dataDir, 'media-work')
  const { maxBytes, convertTimeoutMs } = config
  const queue = createFairQueue({
    width: Math.min(MAX_WORKERS, availableParallelism()),
    waiting: MAX_WAITING,
    waitingBytes: WAITING_FILES * maxBytes,
  })
  /** Without a job, the one used last at the end. */
  const idle: Worker[] = []
  const all = new Set<Worker>()
  let isClosed = false
  let timer: NodeJS.Timeout | undefined

  async function worker(): Promise<Worker> {
    for (let found = idle.pop(); found; found = idle.pop()) {
      if (found.isUsable) return found
      all.delete(found)
    }
    const argument = JSON.stringify(config)
    // The answer has a converted file and its thumbnail.
    const started = await startWorker({ module, argument, folder, maxBytes: 2 * maxBytes, log })
    if (isClosed) await started.end()
    all.add(started)
    return started
  }

  function release(done: Worker): void {
    if (!done.isUsable || isClosed) {
      all.delete(done)
      void done.end()
      return
    }
    idle.push(done)
    clearTimeout(timer)
    timer = setTimeout(() => {
      for (const unused of idle.splice(0)) {
        all.delete(unused)
        void unused.end()
      }
    }, IDLE_MS)
    timer.unref()
  }

  async function ask(job: FrameFields, timeoutMs: number): Promise<FrameFields> {
    if (isClosed) throw new Error('the gateway is stopping')
    const found = await worker()
    try {
      return await found.ask({ ...job, timeoutMs }, timeoutMs + GRACE_MS)
    } finally {
      release(found)
    }
  }

  async function run(
    session: string,
    field: string,
    name: keyof MediaWork,
    input: Given,
  ): Promise<FrameFields> {
    const isVideo = name === 'video'
    const timeoutMs = convertTimeoutMs * (isVideo ? VIDEO_FACTOR : 1)
    const length = isVideo ? 'long' : 'short'
    const { error, ...result } = await queue.run(session, input.bytes.length, length, () =>
      ask({ name, ...input }, timeoutMs).catch((cause: unknown) => {
        throw gatewayError('MEDIA_FAILED', [field, reasonOf(cause)], { cause })
      }),
    )
    if (typeof error === 'string') throw gatewayError('MEDIA_UNSUPPORTED', [field, error])
    return result
  }

  return {
    // The worker answers with the result of that function.
    run: (session, field, name, input) =>
      run(session, field, name, input) as ReturnType<MediaWork[typeof name]>,
    prepare: () => rm(folder, { recursive: true, force: true }),
    async close() {
      isClosed = true
      clearTimeout(timer)
      await Promise.all([...all].map((worker) => worker.end()))
    },
  }
}
