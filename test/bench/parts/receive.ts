import { alternate } from '../candidates/alternate.ts'
import { measureReceives } from '../measure.ts'
import type { Bench } from '../part.ts'

/** A phone writes to the session; wamux delivers to a webhook receiver, raw raises `messages.upsert`. */
export async function receive(bench: Bench): Promise<void> {
  const { warm, receives: count } = bench.sizes
  await alternate(bench, async (candidate) => {
    const { phone: to } = await candidate.link(true)
    const from = [await bench.network.call.phone()]
    await measureReceives(bench, candidate, { from, to, count: warm, arrived: 0 })
    const { rate, cpu } = await measureReceives(bench, candidate, { from, to, count, arrived: warm })
    bench.add('receive.cpu', candidate.side, cpu)
    bench.add('receive.rate', candidate.side, rate)
  })
}
