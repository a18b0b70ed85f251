import { linkMany, startWamux } from '../candidates/wamux.ts'
import type { Bench } from '../part.ts'
import { cpuOf, settled } from '../proc.ts'

/** A restart with linked sessions: what it costs until it answers, and until all are logged in. */
export async function start(bench: Bench): Promise<void> {
  const { sessions } = bench.sizes
  const candidate = await startWamux(bench)
  try {
    await linkMany(candidate, sessions)
    for (let run = 1; run <= bench.runs; run += 1) {
      bench.print(`run ${run}, ${sessions} sessions`)
      const { began, cpu } = await candidate.restart()
      await candidate.loggedIn(sessions)
      bench.add('start.wall', 'wamux', (performance.now() - began) / 1000)
      await settled(candidate.pid)
      bench.add('start.cpu', 'wamux', cpu / 1000)
      bench.add('start.restore', 'wamux', (cpuOf(candidate.pid) - cpu) / 1000)
    }
  } finally {
    await candidate.end()
  }
}
