import type { Candidate, Session } from './candidates/candidate.ts'
import type { Bench } from './part.ts'
import { cpuOf, settled } from './proc.ts'

export interface Cost {
  /** Messages a second. */
  rate: number
  /** Milliseconds of processor time a message: of the candidate, and of the network. */
  cpu: number
  networkCpu: number
}

/** Brings the process of a candidate to its usual speed by texts to one person, whose JID it answers. */
export async function warmUp(bench: Bench, candidate: Candidate, session: Session): Promise<string> {
  const to = `${await bench.network.call.phone()}@s.whatsapp.net`
  await bench.client.call.load(candidate.text(session, to), bench.sizes.warm, 50)
  return to
}

/** Texts that the client process sends through HTTP. */
export function measureSends(
  bench: Bench,
  candidate: Candidate,
  { session, to, count, atOnce }: { session: Session; to: string; count: number; atOnce: number },
): Promise<Cost> {
  return measure(bench, candidate, count, () =>
    bench.client.call.load(candidate.text(session, to), count, atOnce),
  )
}

/** Texts of phones. @param arrived how many have arrived at the candidate before. */
export function measureReceives(
  bench: Bench,
  candidate: Candidate,
  { from, to, count, arrived }: { from: string[]; to: string; count: number; arrived: number },
): Promise<Cost> {
  return measure(bench, candidate, count, async () => {
    const began = performance.now()
    await Promise.all([bench.network.call.send(from, to, count), candidate.reached(arrived + count)])
    return (count * 1000) / (performance.now() - began)
  })
}

async function measure(
  { network }: Bench,
  candidate: Candidate,
  count: number,
  work: () => Promise<number>,
): Promise<Cost> {
  await settled(candidate.pid, network.pid)
  const [cpu, networkCpu] = [cpuOf(candidate.pid), cpuOf(network.pid)]
  const rate = await work()
  await settled(candidate.pid, network.pid)
  return {
    rate,
    cpu: (cpuOf(candidate.pid) - cpu) / count,
    networkCpu: (cpuOf(network.pid) - networkCpu) / count,
  }
}
