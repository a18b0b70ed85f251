import { writeSync } from 'node:fs'
import type { DestinationStream } from 'pino'
import { readable } from './readable.ts'

/** Lines are collected for at most this long, because each write is a system call. */
const COLLECT_MS = 100
const COLLECT_BYTES = 4096
/** What waits for a reader; lines beyond it are dropped. */
const MAX_BYTES = 1024 * 1024
/** Time between two tries while nothing is taken. */
const RETRY_MS = { first: 10, most: 200 }
/** At the end of the process. A gateway that was stopped by force after 9.5 seconds has to be gone after ten. */
const EXIT_MS = 400
const EXIT_RETRY_MS = 10
const WARN = 40

/** `auto`: `text` where standard output is a terminal, `json` in a pipe. */
export type LogFormat = 'auto' | 'json' | 'text'

interface Output extends DestinationStream {
  /** Lines dropped since the process began. */
  readonly dropped: number
}

/** Node.js has no public way to make writes to a terminal return at once. Absent if standard output is a file. */
type Stdio = NodeJS.WriteStream & { readonly _handle?: { setBlocking?(isBlocking: boolean): void } }

let shared: Output | undefined

/**
 * Standard output for log lines. Warnings and errors are written at once, with everything before them. All logs of the
 * process share it, with the format of the first: with separate buffers their lines would come out of order.
 *
 * A write never waits for the reader: lines wait in a bounded buffer, and those that find it full are dropped and counted.
 */
export function standardOutput(format: LogFormat): DestinationStream {
  shared ??= openOutput(format === 'text' || (format === 'auto' && process.stdout.isTTY === true))
  return shared
}

/** Lines of the log that were dropped, because nobody read standard output in time. */
export function droppedLines(): number {
  return shared?.dropped ?? 0
}

function openOutput(isText: boolean): Output {
  // False in a pipe, and where NO_COLOR is set.
  const isColoured = process.stdout.isTTY === true && process.stdout.hasColors()
  let lines: string[] = []
  /** What the last write left of the lines before these. */
  let rest = Buffer.alloc(0)
  /** Of both. */
  let bytes = 0
  let dropped = 0
  let reported = 0
  let timer: NodeJS.Timeout | undefined
  let retryMs = 0

  // A paused terminal must not stop the watchdog's lines and warnings of Node.js either.
  for (const stream of [process.stdout, process.stderr]) unblock(stream)
  process.once('exit', flushForLast)

  function push(json: string): void {
    const line = isText ? readable(json, isColoured) : json
    const size = Buffer.byteLength(line)
    if (bytes + size > MAX_BYTES) {
      dropped += 1
      return
    }
    lines.push(line)
    bytes += size
  }

  /** Writes what the reader takes. Returns the code of the error that stopped it. */
  function write(): string | undefined {
    // Before each write: a process that shares the pipe, for example `npm start`, may have set it back.
    unblock(process.stdout)
    while (bytes > 0) {
      if (rest.length === 0) {
        rest = Buffer.from(lines.join(''))
        lines = []
      }
      try {
        const written = writeSync(1, rest)
        rest = rest.subarray(written)
        bytes -= written
      } catch (error) {
        return (error as NodeJS.ErrnoException).code ?? 'UNKNOWN'
      }
      report()
    }
    return undefined
  }

  /** Once there is space again, and before the next line, which has to wait for it. */
  function report(): void {
    if (dropped === reported || bytes > MAX_BYTES / 2) return
    const count = dropped - reported
    reported = dropped
    const msg = `${count} lines of the log were dropped: nobody read it in time`
    push(`${JSON.stringify({ level: WARN, time: new Date().toISOString(), lines: count, msg })}\n`)
  }

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    report()
    const isDone = write() === undefined
    retryMs = isDone ? 0 : Math.min(retryMs * 2 || RETRY_MS.first, RETRY_MS.most)
    // Also if it is closed, or its disk is full: a named pipe can get another reader, a disk space.
    if (!isDone) timer = setTimeout(flush, retryMs).unref()
  }

  function flushForLast(): void {
    const end = performance.now() + EXIT_MS
    const pause = new Int32Array(new SharedArrayBuffer(4))
    while (write() === 'EAGAIN' && performance.now() < end) Atomics.wait(pause, 0, 0, EXIT_RETRY_MS)
  }

  return {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    get dropped() {
      return dropped
    },
    write(line) {
      if (dropped > reported) dropped += 1
      else push(line)
      // Else the next try has its time.
      if (retryMs === 0 && (bytes >= COLLECT_BYTES || (this.lastLevel ?? 0) >= WARN)) flush()
      else timer ??= setTimeout(flush, COLLECT_MS).unref()
    },
  } as Output & { lastLevel?: number }
}

function unblock({ _handle }: Stdio): void {
  _handle?.setBlocking?.(false)
}
