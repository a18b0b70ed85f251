import type { Bench } from '../bench.ts'
import { alternate } from '../candidates/candidate.ts'
import { linkMany, startWamux } from '../candidates/wamux.ts'
import { rssOf, settled } from '../proc.ts'

/** Memory: without a session, for each idle session, with very many, and after very many sends. */
export async function memory(bench: Bench): Promise<void> {
  for (let run = 1; run <= bench.runs; run += 1) {
    bench.print(`run ${run}`)
    for (const profile of ['standard', 'minimal']) await empty(bench, profile)
    await idle(bench)
  }
  await afterSends(bench)
  // Linking so many takes minutes: once.
  await many(bench)
}

async function empty(bench: Bench, profile: string): Promise<void> {
  const candidate = await startWamux(bench, profile)
  try {
    await settled(candidate.pid)
    bench.add(`memory.${profile}`, 'wamux', rssOf(candidate.pid))
  } finally {
    await candidate.end()
  }
}

/** The difference to the empty process, both after a garbage collection. */
async function idle(bench: Bench): Promise<void> {
  const { sessions } = bench.sizes
  const candidate = await startWamux(bench)
  try {
    await settled(candidate.pid)
    const before = await candidate.memory()
    await linkMany(candidate, sessions)
    await settled(candidate.pid)
    const linked = await candidate.memory()
    bench.add('memory.linked', 'wamux', (linked.rss - before.rss) / sessions)
    await candidate.restart()
    await candidate.loggedIn(sessions)
    await settled(candidate.pid)
    const restored = await candidate.memory()
    bench.add('memory.restored', 'wamux', (restored.rss - before.rss) / sessions)
    bench.add('memory.heap', 'wamux', ((restored.heap - before.heap) * 1000) / sessions)
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
  })
}

async function many(bench: Bench): Promise<void> {
  const { manySessions } = bench.sizes
  const candidate = await startWamux(bench)
  try {
    await linkMany(candidate, manySessions)
    await candidate.restart()
    await candidate.loggedIn(manySessions)
    await settled(candidate.pid)
    bench.add('memory.many', 'wamux', rssOf(candidate.pid))
  } finally {
    await candidate.end()
  }
}
