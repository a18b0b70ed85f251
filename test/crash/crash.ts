import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import knex from 'knex'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import { createVault } from '../../kernel/vault/vault.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { type Receiver, startReceiver } from '../support/receiver.ts'
import { admin } from '../support/world.ts'
import { type Kill, schedule } from './schedule.ts'
import { startTraffic, type Traffic } from './traffic.ts'

export interface CrashOptions {
  kills: number
  seed: number
  /** Stock Baileys behaviour: must lose. Each kill comes when something is receipted and not yet committed. */
  isStock?: boolean
  onProgress?(line: string): void
}

/** Empty lists mean that nothing was lost and nothing doubled. */
export interface CrashReport {
  received: number
  sent: number
  /** Received messages that are not in the log. */
  lost: string[]
  /** Received messages that are in the log more than once, or were delivered under two ids. */
  doubled: string[]
  /** Logged, but never delivered to the webhook. */
  undelivered: string[]
  /** Answered as sent, but not on any phone. */
  vanished: string[]
  /** Sent once, on a phone twice. */
  repeated: string[]
  /** Messages that a phone could not decrypt. */
  undecryptable: string[]
  refused: string[]
  retries: number
}

const KILLER = './test/crash/killer.ts'
/** A moment that the traffic doesn't reach ends like the others. */
const PATIENCE_MS = 4_000
const DRAIN_MS = 60_000
/** What stock behaviour has lost never comes: no use to wait long for it. */
const STOCK_DRAIN_MS = 5_000

/** Kills a gateway again and again under traffic both ways, lets it come back, and holds what it knows against what happened. */
export async function crashLoop({
  kills,
  seed,
  isStock = false,
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
  }
  const life = (kill?: Kill): Promise<GatewayProcess> =>
    startProcess(
      {
        ...env,
        ...(kill && isStock ? { CRASH_STOCK: 'yes' } : {}),
        ...(kill && 'at' in kill ? { CRASH_AT: kill.at, CRASH_NTH: String(kill.nth) } : {}),
      },
      'start',
      [KILLER],
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

  const traffic = startTraffic({ sessions, peers, group: String(JID) })
  const deaths = schedule(kills, seed).map((kill, i) =>
    isStock ? { at: 'before:commit', nth: 20 + 7 * i } : kill,
  )
  for (const [index, kill] of deaths.entries()) {
    const gateway = await life(kill).catch(() => undefined)
    traffic.gateway = gateway
    if (gateway) {
      // Random times count from when both ways are open; a moment may come before.
      const open = Promise.race([traffic.nextSent(), gateway.ended, pause(PATIENCE_MS)])
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
  const report = await compare({ traffic, loose, receiver, dataDir, peers, stop: () => last.end('SIGTERM') })
  await receiver.close()
  await loose.network.close()
  return report
}

export async function link(gateway: GatewayProcess, phone: Phone, receiver: Receiver) {
  const { data } = await gateway.post('/session/init', {}, admin)
  const token = { token: String(data.Token) }
  await gateway.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] }, token)
  await gateway.post('/session/connect', { Immediate: false }, token)
  await phone.scan((await gateway.get('/session/qr', token)).data.QRCode)
  while ((await gateway.get('/session/status', token)).data?.LoggedIn !== true) await pause()
  return { token: token.token, phone: phone.account.phone }
}

/** Nothing waits for any companion any more: all was receipted. */
export async function drained(
  { phones }: LooseNetwork,
  linked: readonly Phone[],
  ms = DRAIN_MS,
): Promise<void> {
  const limit = Date.now() + ms
  const waiting = (): number =>
    linked
      .flatMap(({ account }) => phones.get(account.phone).view()['Companions'] as { Waiting: number }[])
      .reduce((sum, { Waiting }) => sum + Waiting, 0)
  while (waiting() > 0 && Date.now() < limit) await pause()
}

interface Evidence {
  traffic: Traffic
  loose: LooseNetwork
  receiver: Receiver
  dataDir: string
  peers: readonly Phone[]
  stop(): Promise<unknown>
}

export async function compare({
  traffic,
  loose,
  receiver,
  dataDir,
  peers,
  stop,
}: Evidence): Promise<CrashReport> {
  const delivered = new Map<string, Set<string>>()
  const take = (): void => {
    for (const { body } of receiver.deliveries) {
      const { type, eventId, jid, event } = JSON.parse(body)
      if (type !== 'Message') continue
      const key = `${jid} ${event.Info.ID}`
      delivered.set(key, (delivered.get(key) ?? new Set()).add(eventId))
    }
  }
  let logged = await readLog(dataDir)
  const limit = Date.now() + DRAIN_MS
  do {
    await pause()
    take()
    logged = await readLog(dataDir)
  } while ([...logged.keys()].some((key) => !delivered.has(key)) && Date.now() < limit)
  await stop()

  const times = (texts: string[]): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
    return counts
  }
  const idsLogged = new Set([...logged.keys()].map((key) => key.split(' ')[1]))
  const arrived = peers.map((phone) =>
    times(
      phone
        .messages()
        .filter(({ fromMe }) => !fromMe)
        .map(({ raw }) => raw.extendedTextMessage?.text ?? raw.conversation ?? ''),
    ),
  )
  return {
    received: traffic.received.size,
    sent: traffic.sent.size,
    lost: [...traffic.received.keys()].filter((id) => !idsLogged.has(id)),
    doubled: [
      ...[...logged].filter(([, count]) => count > 1).map(([key]) => key),
      ...[...delivered].filter(([, ids]) => ids.size > 1).map(([key]) => key),
    ],
    undelivered: [...logged.keys()].filter((key) => !delivered.has(key)),
    vanished: [...traffic.sent].filter((text) => !arrived.some((counts) => counts.has(text))),
    repeated: arrived.flatMap((counts) =>
      [...counts].filter(([text, count]) => text.startsWith('out') && count > 1).map(([text]) => text),
    ),
    undecryptable: peers.flatMap(({ failures }) => [...failures]),
    refused: traffic.refused,
    retries: (loose.network.view()['Counters'] as { retries: number }).retries,
  }
}

/** How often each message stands in the log, by account and message id. */
async function readLog(dataDir: string): Promise<Map<string, number>> {
  const database = knex({
    client: 'sqlite3',
    connection: { filename: join(dataDir, 'wamux.sqlite') },
    useNullAsDefault: true,
  })
  const vault = createVault(openKeyring(readFileSync(join(dataDir, 'master-key'), 'utf8').trim()))
  const accounts = new Map<string, string>()
  for (const row of await database('sessions')) {
    vault.admit(row.id, { kid: row.key_id, wrapped: row.key })
    accounts.set(row.id, vault.open(row.id, 'sessions/jid', row.jid).toString().replace(/:\d+@/, '@'))
  }
  const counts = new Map<string, number>()
  for (const { id, session, body } of await database('events').where({ type: 'Message' })) {
    const { event } = JSON.parse(vault.open(session, `events/${id}`, body).toString())
    const key = `${accounts.get(session)} ${event.Info.ID}`
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  await database.destroy()
  return counts
}

function pause(ms = 50): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
