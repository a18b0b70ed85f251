import { alternate } from '../candidates/alternate.ts'
import { linkMany, type Memory, startWamux } from '../candidates/wamux.ts'
import type { Bench } from '../part.ts'
import { rested, rssOf, settled } from '../proc.ts'

const FEW = 5

/** Memory: without a session, for each idle session, with very many, and after very many sends. */
export async function memory(bench: Bench): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.print(`run ${run}`)
    await Promise.all(['standard', 'minimal'].map((profile) => empty(bench, profile)))
    await idle(bench)
  }
  await afterSends(bench)
  // Linking so many takes minutes: once.
  await many(bench)
}

async function empty(bench: Bench, profile: string): Promise<void> {
  const candidate = await startWamux(bench, profile)
  try {
    await rested(candidate.pid)
    bench.add(`memory.${profile}`, 'wamux', rssOf(candidate.pid))
  } finally {
    await candidate.end()
  }
}

/** What each further session adds, after garbage collections: a first few pay for what all share. */
async function idle(bench: Bench): Promise<void> {
  const { sessions } = bench.sizes
  const candidate = await startWamux(bench)
  const restedMemory = async (): Promise<Memory> => {
    await rested(candidate.pid)
    return candidate.memory()
  }
  const restartedMemory = async (count: number): Promise<Memory> => {
    await candidate.restart()
    await candidate.loggedIn(count)
    return restedMemory()
  }
  try {
    await linkMany(candidate, FEW)
    const fewRestored = await restartedMemory(FEW)
    await linkMany(candidate, FEW)
    const fewLinked = await restedMemory()
    await linkMany(candidate, sessions)
    const linked = await restedMemory()
    const restored = await restartedMemory(2 * FEW + sessions)
    bench.add('memory.linked', 'wamux', (linked.rss - fewLinked.rss) / sessions)
    bench.add('memory.restored', 'wamux', (restored.rss - fewRestored.rss) / (sessions + FEW))
    bench.add('memory.heap', 'wamux', ((restored.heap - fewRestored.heap) * 1000) / (sessions + FEW))
  } finally {
    await candidate.end()
  }
}

async function afterSends(bench: Bench): Promise<void> {
  await alternate(bench, async (candidate) => {
    const session = await candidate.link()
    const to = `${await bench.network.call.phone()}@s.whatsapp.net`
    await bench.client.call.load(candidate.text(session, to), bench.sizes.sendsOfMemory, 50)
    await settled(candidate.pid)
    bench.add('memory.sends', candidate.side, rssOf(candidate.pid))
    await rested(candidate.pid)
    bench.add('memory.rested', candidate.side, rssOf(candidate.pid))
  })
}

async function many(bench: Bench): Promise<void> {
  const { manySessions } = bench.sizes
  const candidate = await startWamux(bench)
  try {
    await linkMany(candidate, manySessions)
    await candidate.restart()
    await candidate.loggedIn(manySessions)
    await rested(candidate.pid)
    bench.add('memory.many', 'wamux', rssOf(candidate.pid))
  } finally {
    await candidate.end()
  }
}
