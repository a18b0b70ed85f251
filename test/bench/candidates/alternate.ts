import type { Bench } from '../part.ts'
import type { Candidate } from './candidate.ts'
import { startRaw } from './raw.ts'
import { startWamux } from './wamux.ts'

/** Measures both in turn, as often as the benchmark runs, each time in a fresh process. */
export async function alternate(bench: Bench, work: (candidate: Candidate) => Promise<void>): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) {
    for (const start of [startRaw, startWamux]) {
      const candidate = await start(bench)
      bench.print(`run ${run}, ${candidate.side}`)
      try {
        await work(candidate)
      } finally {
        await candidate.end()
      }
    }
  }
}
