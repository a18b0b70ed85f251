import { startWamux } from '../candidates/wamux.ts'
import { measureReceives } from '../measure.ts'
import type { Bench } from '../part.ts'

/** Messages that wait on the network for a session which was away, until all are at the webhook receiver. */
export async function backlog(bench: Bench): Promise<void> {
  const { warm, backlog: count } = bench.sizes
  for (let run = 1; run <= bench.runs; run += 1) {
    const candidate = await startWamux(bench)
    bench.print(`run ${run}`)
    try {
      const session = await candidate.link(true)
      const to = session.phone
      const from = [await bench.network.call.phone()]
      await measureReceives(bench, candidate, { from, to, count: warm, arrived: 0 })
      await candidate.disconnect(session)
      await bench.network.call.send(from, to, count)
      const began = performance.now()
      const connected = candidate.connect(session)
      await candidate.reached(warm + count)
      bench.add('backlog.seconds', 'wamux', (performance.now() - began) / 1000)
      await connected
    } finally {
      await candidate.end()
    }
  }
}
