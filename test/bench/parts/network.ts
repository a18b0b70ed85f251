import { startWamux } from '../candidates/wamux.ts'
import { measureSends, warmUp } from '../measure.ts'
import type { Bench } from '../part.ts'
import { createGroup } from './groups.ts'

/** What a message costs the local network and its phones, which caps every measurement and every load test. */
export async function network(bench: Bench): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) {
    const candidate = await startWamux(bench)
    bench.print(`run ${run}`)
    try {
      const session = await candidate.link()
      const to = await warmUp(bench, candidate, session)
      const [{ warm, count }] = bench.sizes.groups
      const { jid } = await createGroup(bench, session, 10)
      await bench.client.call.load(candidate.text(session, jid), warm, 1)
      const direct = await measureSends(bench, candidate, {
        session,
        to,
        count: bench.sizes.warm,
        atOnce: 10,
      })
      bench.add('network.direct', 'wamux', direct.networkCpu)
      const group = await measureSends(bench, candidate, { session, to: jid, count, atOnce: 10 })
      bench.add('network.group', 'wamux', group.networkCpu)
    } finally {
      await candidate.end()
    }
  }
}
