import { withTimeout } from '../../kernel/async/time-out.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { drained, link } from '../crash/crash.ts'
import { type CrashReport, compare } from '../crash/evidence.ts'
import { randomFrom } from '../crash/random.ts'
import { startTraffic } from '../crash/traffic.ts'
import { temporaryFolder } from '../support/databases.ts'
import { startNetwork } from '../support/network.ts'
import { startProcess } from '../support/process.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import type { Trouble } from './troubles.ts'

export interface SurviveOptions {
  trouble: Trouble
  /** How long the storage has trouble at least. It goes on until there was enough of trouble and traffic. */
  seconds: number
  seed: number
  onProgress?(line: string): void
}

export interface StorageReport extends CrashReport {
  /** Times that something was done to the storage. */
  blows: number
  /** What was answered in place of success, each once: status and error. */
  answers: string[]
  /** UndecryptableMessage and SendFailed events that the webhook got. */
  failures: string[]
}

const DRAIN_MS = 60_000
/** What a run must have seen to show anything: a busy machine needs more time for it. */
export const ENOUGH = { blows: 3, received: 41, sent: 11 }
/** Without one more send for so long, a run ends with what it has. */
const STALL_MS = 60_000

/** One gateway under traffic both ways on a storage that fails again and again; what everybody has in the end. */
export async function survive({
  trouble,
  seconds,
  seed,
  onProgress,
}: SurviveOptions): Promise<StorageReport> {
  const loose = await startNetwork()
  const receiver = await startReceiver()
  const dataDir = trouble.dataDir ?? temporaryFolder()
  const gateway = await startProcess({
    WAMUX_DATA_DIR: dataDir,
    WAMUX_BAILEYS_NETWORK: loose.card,
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    ...(trouble.url ? { DATABASE_URL: trouble.url } : {}),
  })
  try {
    const [a, b, ...peers] = await Promise.all(
      ['A', 'B', 'C', 'D'].map((name) => loose.phones.create({ name })),
    )
    if (!a || !b) throw new Error('no phones')
    const sessions = [await link(gateway, a, receiver, ['All']), await link(gateway, b, receiver, ['All'])]
    const Participants = [a, b, peers[1] as Phone].map(({ account }) => account.phone)
    const { JID } = await (peers[0] as Phone).act({ Action: 'createGroup', Text: 'G', Participants })
    const traffic = startTraffic({ sessions, peers, group: String(JID) })
    traffic.gateway = gateway
    for (let sent = 0; sent < 5; sent += 1) await traffic.nextSent()

    const random = randomFrom(seed)
    const until = Date.now() + seconds * 1000
    let blows = 0
    const isEnough = (): boolean =>
      blows >= ENOUGH.blows && traffic.received.size >= ENOUGH.received && traffic.sent.size >= ENOUGH.sent
    while (Date.now() < until || !isEnough()) {
      const what = await trouble.strike(random, gateway.pid)
      blows += 1
      onProgress?.(`${blows}: ${what}; ${traffic.received.size} received, ${traffic.sent.size} sent`)
      // Past its time each blow waits for a send: a machine that recovers more slowly than the blows come would send nothing.
      if (Date.now() < until) continue
      const hasSent = traffic.nextSent().then(() => true)
      if (!(await withTimeout(hasSent, STALL_MS, () => false))) break
    }
    await traffic.stop(DRAIN_MS)
    await drained(loose, [a, b], DRAIN_MS)
    const report = await compare({
      traffic,
      loose,
      receiver,
      dataDir,
      databaseUrl: trouble.direct,
      peers,
      stop: () => gateway.end('SIGTERM'),
    })
    const failures = receiver.deliveries.flatMap(({ body }) => {
      const { type, event } = JSON.parse(body)
      return type === 'UndecryptableMessage' || type === 'SendFailed'
        ? [JSON.stringify({ type, ...event })]
        : []
    })
    return { ...report, blows, answers: [...traffic.postponed].sort(), failures: [...new Set(failures)] }
  } finally {
    await gateway.end('SIGKILL')
    await receiver.close()
    await loose.network.close()
    await trouble.end()
  }
}
