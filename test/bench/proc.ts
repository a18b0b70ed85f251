import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'

/** Milliseconds of processor time of a process, user and system; Linux counts them in hundredths of a second. */
export function cpuOf(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Megabytes of resident memory. */
export function rssOf(pid: number): number {
  const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return (Number(kilobytes) * 1024) / 1e6
}

/** Load of the machine over 1, 5 and 15 minutes. */
export function loadOfMachine(): string {
  return readFileSync('/proc/loadavg', 'utf8').split(' ').slice(0, 3).join(' ')
}

const WINDOW_MS = 500
const IDLE_CPU_MS = 20
const MAX_WINDOWS = 40

/** Resolves when the processes have no more work: what follows a request, such as receipts, is part of its cost. */
export async function settled(...pids: number[]): Promise<void> {
  for (let i = 0; i < MAX_WINDOWS; i += 1) {
    const before = pids.map(cpuOf)
    await wait(WINDOW_MS)
    if (pids.every((pid, index) => cpuOf(pid) - (before[index] ?? 0) <= IDLE_CPU_MS)) return
  }
  throw new Error('a process did not become idle')
}

/** V8 gives back memory that it does not use in steps, the last half a minute after the last work (src/heap/memory-reducer.cc). */
const REST_MS = 40_000

/** Resolves when the processes have had no work for so long that their memory is what they need. */
export async function rested(...pids: number[]): Promise<void> {
  await settled(...pids)
  await wait(REST_MS)
}
