import { type DestinationStream, pino } from 'pino'

/** Lines are collected for at most this long, because each write is a system call. */
const WAIT_MS = 100
const MAX_BYTES = 4096
const WARN = 40

let shared: DestinationStream | undefined

/**
 * Standard output for log lines. Warnings and errors are written at once, with everything before them. All logs of the
 * process share it: with separate buffers their lines would come out of order.
 */
export function standardOutput(): DestinationStream {
  shared ??= openOutput()
  return shared
}

function openOutput(): DestinationStream {
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
      output.write(line)
      if (this.lastLevel && this.lastLevel >= WARN) flush()
      else timer ??= setTimeout(flush, WAIT_MS).unref()
    },
  } as DestinationStream & { lastLevel: number }
}
