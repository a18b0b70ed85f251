/**
 * The process that works on files. The gateway starts it when it has a file, and talks to it through file descriptor 3. It ends
 * when that is closed, also by the end of the gateway, and its programs with it.
 */
import { writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { getPriority, setPriority } from 'node:os'
import { type FrameFields, readFrames, writeFrame } from '../process/frames.ts'
import { createWork, type Given, type MediaWork, type WorkConfig } from './work.ts'

const CHANNEL = 3
/** The gateway goes first where both need a processor. */
const NICENESS = 5
const LEAST_PRIORITY = 19
const WATCH_MS = 50
/** Of the process with its libraries, before it has a picture. */
const BASE_BYTES = 256 * 1024 * 1024
/** A picture of four bytes a pixel, twice: as decoded, and turned. */
const BYTES_PER_PIXEL = 8
/** What it keeps of a large picture does not stay until the next one. */
const KEPT_BYTES = BASE_BYTES

const config = JSON.parse(process.argv[2] ?? '') as WorkConfig
const maxMemory = BASE_BYTES + BYTES_PER_PIXEL * config.maxPixels
let isLast = false
const channel = new Socket({ fd: CHANNEL, readable: true, writable: true })
// Of this process and its programs alone, in the folder that the gateway deletes.
process.env['TMPDIR'] = process.cwd()
preferGateway()
readFrames(channel, 2 * config.maxBytes, (job) => void work(job as Job))
channel.on('end', endAll).on('error', endAll)
writeFrame(channel, {})

interface Job extends Given, FrameFields {
  readonly name: keyof MediaWork
  readonly timeoutMs: number
}

async function work({ name, timeoutMs, ...given }: Job): Promise<void> {
  const deadline = performance.now() + timeoutMs
  const limits = { maxBytes: config.maxBytes, timeLeft: () => Math.ceil(deadline - performance.now()) }
  const watch = setInterval(() => {
    if (process.memoryUsage.rss() > maxMemory)
      answer({ error: `it needs more than ${maxMemory} bytes of memory: use a smaller file`, isLast: true })
  }, WATCH_MS)
  // The table has the type of each function's own input.
  const run = createWork(config, limits)[name] as (given: unknown) => Promise<object>
  const result = await run(given).catch((error: Error) => ({ error: error.message }))
  clearInterval(watch)
  answer({ ...result, isLast: process.memoryUsage.rss() > KEPT_BYTES })
}

/** After its last answer the gateway ends this process. */
function answer(fields: FrameFields): void {
  if (isLast) return
  isLast = fields['isLast'] === true
  writeFrame(channel, fields)
}

function preferGateway(): void {
  try {
    setPriority(Math.min(LEAST_PRIORITY, getPriority() + NICENESS))
    // Where memory is short, Linux ends this process rather than the gateway.
    writeFileSync('/proc/self/oom_score_adj', '1000')
  } catch {
    // Other systems have no such file.
  }
}

function endAll(): void {
  try {
    process.kill(-process.pid, 'SIGKILL')
  } catch {
    process.exit()
  }
}
