import { alternate } from '../candidates/alternate.ts'
import { measureSends, warmUp } from '../measure.ts'
import type { Bench } from '../part.ts'

/** Texts to one person, 50 at once, 10 at once and one at a time. */
export async function sends(bench: Bench): Promise<void> {
  await alternate(bench, async (candidate) => {
    const session = await candidate.link()
    const to = await warmUp(bench, candidate, session)
    for (const { atOnce, count } of bench.sizes.sends) {
      const { rate, cpu } = await measureSends(bench, candidate, { session, to, count, atOnce })
      bench.add(`sends.${atOnce}.cpu`, candidate.side, cpu)
      bench.add(`sends.${atOnce}.rate`, candidate.side, rate)
    }
  })
}
