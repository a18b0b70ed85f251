import { alternate } from '../candidates/alternate.ts'
import type { Candidate, Session } from '../candidates/candidate.ts'
import { measureReceives, measureSends, warmUp } from '../measure.ts'
import type { Bench } from '../part.ts'

/** Texts to groups of 10 and 50 whose members are cached, and texts of the members of a group of 10. */
export async function groups(bench: Bench): Promise<void> {
  await alternate(bench, async (candidate) => {
    const session = await candidate.link(true)
    await warmUp(bench, candidate, session)
    for (const { members, warm, count } of bench.sizes.groups) {
      const { jid } = await createGroup(bench, session, members)
      // Sessions with all members are made, and the sender key is shared, before it is measured.
      await bench.client.call.load(candidate.text(session, jid), warm, 1)
      const { cpu } = await measureSends(bench, candidate, { session, to: jid, count, atOnce: 10 })
      bench.add(`groups.${members}.cpu`, candidate.side, cpu)
    }
    await receiveInGroup(bench, candidate, session)
  })
}

async function receiveInGroup(bench: Bench, candidate: Candidate, session: Session): Promise<void> {
  const { jid: to, others: from } = await createGroup(bench, session, 10)
  const warm = from.length * 3
  await measureReceives(bench, candidate, { from, to, count: warm, arrived: 0 })
  const count = bench.sizes.groupReceives
  const { cpu, rate } = await measureReceives(bench, candidate, { from, to, count, arrived: warm })
  bench.add('groups.receive.cpu', candidate.side, cpu)
  bench.add('groups.receive.rate', candidate.side, rate)
}

/** A group of the session and new phones. @param size its members, the session among them. */
export async function createGroup(
  { network }: Bench,
  { phone }: Session,
  size: number,
): Promise<{ jid: string; others: string[] }> {
  const others: string[] = []
  for (let i = 1; i < size; i += 1) others.push(await network.call.phone())
  return { jid: await network.call.group(phone, others), others }
}
