import { setTimeout as pause } from 'node:timers/promises'

/** Milliseconds of processor time that this process uses until the result is called: unlike the clock, the same on a busy machine. */
export function measureCpu(): () => number {
  const began = process.cpuUsage()
  return () => {
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000
  }
}

/** The least CPU of up to seven tries, in milliseconds: the first may compile, and the gateway's own work may run in between, so later ones wait longer. */
export async function leastCpu(most: number, ask: () => Promise<unknown>): Promise<number> {
  let ms = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 7 && ms > most; tries += 1) {
    await pause(tries < 2 ? 0 : 2 ** tries * 10)
    const cpu = measureCpu()
    await ask()
    ms = Math.min(ms, Math.round(cpu()))
  }
  return ms
}
