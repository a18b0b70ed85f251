/** What one process of the benchmark is to do. */
export interface Order {
  candidate: 'baileys' | 'wamux'
  card: string
  /** Phone number that gets the texts. */
  to: string
  sessions: number
  messages: number
  dataDir: string
}

export interface Result {
  /** Megabytes before the first session, and with all of them idle. */
  rssEmpty: number
  rssIdle: number
  /** Texts a second. */
  sequential: number
  parallel: number
}

export type FromCandidate = { kind: 'scan'; qr: string } | { kind: 'result'; result: Result }
export type ToCandidate = never

/** What is measured: linking a session, and sending a text with it. */
export interface Candidate {
  link(scan: (qr: string) => void): Promise<void>
  /** With the first session that was linked. */
  send(to: string, text: string): Promise<void>
}

if (process.argv[2]) send({ kind: 'result', result: await run(JSON.parse(process.argv[2]) as Order) })

async function run(order: Order): Promise<Result> {
  const candidate = await start(order)
  const rssEmpty = await settledRss()
  const scan = (qr: string): void => send({ kind: 'scan', qr })
  for (let i = 0; i < order.sessions; i += 1) await candidate.link(scan)
  const rssIdle = await settledRss()

  const text = 'twenty-two bytes long.'
  for (let i = 0; i < 50; i += 1) await candidate.send(order.to, text)
  const sequential = await rate(order.messages, async () => {
    for (let i = 0; i < order.messages; i += 1) await candidate.send(order.to, text)
  })
  const parallel = await rate(order.messages, async () => {
    const lane = async (): Promise<void> => {
      for (let i = 0; i < order.messages / 10; i += 1) await candidate.send(order.to, text)
    }
    await Promise.all(Array.from({ length: 10 }, lane))
  })
  return { rssEmpty, rssIdle, sequential, parallel }
}

/** Only the one is loaded: wamux mends Baileys before it loads it, and raw Baileys is measured as it is. */
async function start(order: Order): Promise<Candidate> {
  if (order.candidate === 'wamux') return (await import('./wamux.ts')).startWamux(order)
  return (await import('./raw.ts')).startRaw(order)
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
  const began = performance.now()
  await work()
  return (count * 1000) / (performance.now() - began)
}

/** After the collector has run and the first rush of queries is over. */
async function settledRss(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1500))
  globalThis.gc?.()
  return process.memoryUsage.rss() / 1e6
}

function send(message: FromCandidate): void {
  process.send?.(message)
}
