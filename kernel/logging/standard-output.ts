import { type DestinationStream, pino } from 'pino'
import { readable } from './readable.ts'

/** Lines are collected for at most this long, because each write is a system call. */
const WAIT_MS = 100
const MAX_BYTES = 4096
const WARN = 40

/** `auto`: `text` where standard output is a terminal, `json` in a pipe. */
export type LogFormat = 'auto' | 'json' | 'text'

let shared: DestinationStream | undefined

/**
 * Standard output for log lines. Warnings and errors are written at once, with everything before them. All logs of the
 * process share it, with the format of the first: with separate buffers their lines would come out of order.
 */
export function standardOutput(format: LogFormat): DestinationStream {
  shared ??= openOutput(format === 'text' || (format === 'auto' && process.stdout.isTTY === true))
  return shared
}

function openOutput(isText: boolean): DestinationStream {
  // False in a pipe, and where NO_COLOR is set.
  const isColoured = process.stdout.isTTY === true && process.stdout.hasColors()
  const output = pino.destination({ fd: 1, sync: true, minLength: MAX_BYTES })
  let timer: NodeJS.Timeout | undefined

  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    // Not flushSync, which also waits for the disk.
    output.flush()
  }
  process.once('exit', () => output.flushSync())

  return {
    // Makes pino set `lastLevel` before each line.
    [Symbol.for('pino.metadata')]: true,
    lastLevel: 0,
    write(line) {
      output.write(isText ? readable(line, isColoured) : line)
      if (this.lastLevel && this.lastLevel >= WARN) flush()
      else timer ??= setTimeout(flush, WAIT_MS).unref()
    },
  } as DestinationStream & { lastLevel: number }
}
