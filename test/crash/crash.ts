import { setTimeout as pause } from 'node:timers/promises'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/servers/receiver.ts'
import { linkPhone } from '../support/sessions.ts'
import { type CrashReport, compare, emptied } from './evidence.ts'
import { type Kill, schedule } from './schedule.ts'
import { startTraffic, type Traffic } from './traffic.ts'

export interface CrashOptions {
  kills: number
  seed: number
  /** Stock Baileys behaviour: must lose. Each kill comes when something is receipted and not yet committed. */
  isStock?: boolean
  /** A PostgreSQL database of its own; undefined means SQLite. */
  databaseUrl?: string | undefined
  onProgress?(line: string): void
}

const KILLER = './test/crash/killer.ts'
const STOCK = './test/crash/stock.ts'
/** A moment that the traffic doesn't reach ends like the others. */
const PATIENCE_MS = 4_000
/** On a busy machine the way out opens late. */
const OPEN_MS = 15_000
/** Of each life that ends at a random time. */
const SENDS = 3
const DRAIN_MS = 60_000
/** What stock behaviour has lost never comes: no use to wait long for it. */
const STOCK_DRAIN_MS = 5_000

/** Kills a gateway again and again under traffic both ways, lets it come back, and holds what it knows against what happened. */
export async function crashLoop({
  kills,
  seed,
  isStock = false,
  databaseUrl,
  onProgress,
}: CrashOptions): Promise<CrashReport> {
  const drainMs = isStock ? STOCK_DRAIN_MS : DRAIN_MS
  const loose = await startNetwork()
  const receiver = await startReceiver()
  const dataDir = temporaryFolder()
  const env = {
    WAMUX_DATA_DIR: dataDir,
    WAMUX_BAILEYS_NETWORK: loose.card,
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    LOG_LEVEL: 'info',
    ...(databaseUrl ? { DATABASE_URL: databaseUrl } : {}),
  }
  const life = (kill?: Kill): Promise<GatewayProcess> =>
    startProcess(
      {
        ...env,
        ...(kill && 'at' in kill ? { CRASH_AT: kill.at, CRASH_NTH: String(kill.nth) } : {}),
      },
      'start',
      kill && isStock ? [KILLER, STOCK] : [KILLER],
      // Parts of the driver can be replaced in its source alone.
      { isSource: kill !== undefined && isStock },
    )

  const first = await life()
  const names = ['A', 'B', 'C', 'D']
  const [a, b, ...peers] = (await Promise.all(names.map((name) => loose.phones.create({ name })))) as [
    Phone,
    Phone,
    ...Phone[],
  ]
  const sessions = []
  for (const phone of [a, b]) sessions.push(await link(first, phone, receiver))
  const members = [a, b, ...peers.slice(1)].map(({ account }) => account.phone)
  const { JID } = await (peers[0] as Phone).act({ Action: 'createGroup', Text: 'G', Participants: members })
  await first.end('SIGTERM')

  const waiting = () => waitingFor(loose, [a, b])
  const traffic = startTraffic({ sessions, peers, group: String(JID), waiting })
  const deaths = schedule(kills, seed).map((kill, i) =>
    isStock ? { at: 'before:commit', nth: 20 + 7 * i } : kill,
  )
  for (const [index, kill] of deaths.entries()) {
    const gateway = await life(kill).catch(() => undefined)
    traffic.gateway = gateway
    if (gateway) {
      // Random times count from when both ways are open and in use; a moment may come before.
      const open = Promise.race([someSent(traffic), gateway.ended, pause(OPEN_MS)])
      await ('ms' in kill
        ? open.then(() => pause(kill.ms))
        : Promise.race([gateway.ended, pause(PATIENCE_MS)]))
      await gateway.end('SIGKILL')
    }
    traffic.gateway = undefined
    onProgress?.(`${index + 1} of ${kills} kills: ${JSON.stringify(kill)}`)
  }
  const last = await life()
  traffic.gateway = last
  await traffic.stop(drainMs)
  await drained(loose, [a, b], drainMs)
  const stop = () => last.end('SIGTERM')
  const report = await compare({ traffic, loose, receiver, dataDir, databaseUrl, peers, stop })
  await receiver.close()
  await loose.network.close()
  return report
}

async function someSent(traffic: Traffic): Promise<void> {
  for (let sent = 0; sent < SENDS; sent += 1) await traffic.nextSent()
}

export async function link(
  gateway: GatewayProcess,
  phone: Phone,
  receiver: Receiver,
  subscribe = ['Message'],
) {
  const { token, post } = await linkPhone(gateway, phone, { subscribe })
  await post('/webhook', { WebhookURL: receiver.url, Subscribe: subscribe })
  return { token, phone: phone.account.phone }
}

/** Nothing waits for any companion any more: all was receipted. */
export function drained(loose: LooseNetwork, linked: readonly Phone[], ms = DRAIN_MS): Promise<void> {
  return emptied(() => waitingFor(loose, linked), ms)
}

/** Stanzas that wait for companions. */
export function waitingFor({ phones }: LooseNetwork, linked: readonly Phone[]): number {
  return linked
    .flatMap(({ account }) => phones.get(account.phone).view()['Companions'] as { Waiting: number }[])
    .reduce((sum, { Waiting }) => sum + Waiting, 0)
}
