import type { Gateway } from '../../kernel/gateway.ts'
import type { Events } from '../../kernel/plugin.ts'
import { callsOf } from '../support/calls.ts'
import {
  createGateway,
  createLog,
  createVault,
  loadConfig,
  migrations,
  openDatabase,
  openKeyring,
  sdk,
} from './built.ts'

declare module 'wamux/plugin' {
  interface GatewaySignals {
    load: { key: number; chat: string }
  }
  interface GatewayEvents {
    Load: { event: { Key: number } }
  }
  interface GatewayServices {
    load: Events
  }
}

export type ToGateway =
  | { kind: 'start'; dataDir: string; url: string; sessions: number; chats: number }
  /** Stops, and leaves that many rows waiting. */
  | { kind: 'fill'; backlog: number }
  | { kind: 'stream'; rate: number; seconds: number }
  | { kind: 'cost' }

export type FromGateway =
  | { kind: 'ready' }
  | { kind: 'filled' }
  /** When each key was committed, milliseconds since 1970. */
  | { kind: 'streamed'; commits: number[] }
  /** Highest memory in megabytes; processor seconds since it was ready. */
  | { kind: 'cost'; rss: number; cpu: number }

type Start = Extract<ToGateway, { kind: 'start' }>

const KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const ADMIN = 'bench-admin-token-0123456789abcdefghij'
const TEXT = 'About a kilobyte, as a text message with its context weighs. '.repeat(15)

/** Makes events as a plugin does: a signal, translated, committed. */
const load = sdk.definePlugin({
  name: 'load',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['load'],
  services: () => ({ load: sdk.asFunction(({ events }: { events: Events }) => events).singleton() }),
  events: { Load: { class: 'Message', summary: 'Load', schema: sdk.T.Object({ Key: sdk.T.Integer() }) } },
  translate: {
    load: ({ data: { key, chat } }) => ({
      events: [{ type: 'Load', key: String(key), chat, body: bodyOf(key) }],
    }),
  },
})

let gateway: Gateway
let ids: string[] = []
let chats = 0
let dataDir = ''
let highest = 0
let before = 0
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss() / 1e6)
}, 100).unref()

process.on('message', (message: ToGateway) => {
  if (message.kind === 'start') void start(message)
  else if (message.kind === 'fill') void fill(message.backlog)
  else if (message.kind === 'stream') void stream(message.rate, message.seconds)
  else send({ kind: 'cost', rss: highest, cpu: cpuSeconds() - before })
})

/** On a new folder makes the sessions first. */
async function start(order: Start): Promise<void> {
  chats = order.chats
  dataDir = order.dataDir
  gateway = await open()
  const calls = callsOf(gateway)
  const admin = { admintoken: ADMIN }
  const { data } = await calls.get('/session/all', admin)
  ids = data.map((row: { Id: string }) => row.Id)
  for (let i = ids.length; i < order.sessions; i += 1) {
    const { data } = await calls.post('/session/init', { Subscribe: ['Message'] }, admin)
    const set = await calls.post('/webhook', { WebhookURL: order.url }, { token: data.Token })
    if (!set.success) throw new Error(set.error)
    ids.push(data.Id)
  }
  before = cpuSeconds()
  send({ kind: 'ready' })
}

async function open(): Promise<Gateway> {
  const { plugins } = await loadConfig({})
  const made = createGateway({
    plugins: [...plugins, { plugin: load }],
    migrations,
    version: 'bench',
    log: createLog({ level: 'error' }),
    dataDir,
    adminToken: ADMIN,
    keys: KEYS,
    allowPrivateHosts: ['127.0.0.1'],
  })
  await made.start()
  return made
}

async function stream(rate: number, seconds: number): Promise<void> {
  const events = gateway.service('load')
  const commits: number[] = []
  const work: Promise<void>[] = []
  const began = performance.now()
  for (let key = 0; key < rate * seconds; ) {
    const due = Math.min(rate * seconds, ((performance.now() - began) / 1000) * rate)
    for (; key < due; key += 1) work.push(raise(events, commits, key))
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await Promise.all(work)
  send({ kind: 'streamed', commits })
}

async function raise(events: Events, commits: number[], key: number): Promise<void> {
  const session = ids[key % ids.length] ?? ''
  const chat = `chat${Math.floor(key / ids.length) % chats}@s.whatsapp.net`
  await events.raise(session, 'load', { key, chat })
  commits[key] = performance.timeOrigin + performance.now()
}

/** Rows as the gateway would have left them: events in the log, and a delivery for each. */
async function fill(backlog: number): Promise<void> {
  await gateway.stop()
  const database = await openDatabase({ dataDir })
  const now = Date.now()
  const time = new Date(now).toISOString()
  const vault = createVault(openKeyring(KEYS))
  for (const row of await database.read('sessions'))
    vault.restore(row.id, { kid: row.key_id, wrapped: row.key })
  await database.main.transaction(async (trx) => {
    const { seq } = (await trx('events').max({ seq: 'seq' }).first()) ?? {}
    const first = Number(seq ?? 0) + 1
    for (let key = 0; key < backlog; key += 50) {
      const keys = Array.from({ length: Math.min(50, backlog - key) }, (_, i) => key + i)
      const rows = keys.map((k) => {
        const session = ids[k % ids.length] ?? ''
        const chat = `chat${Math.floor(k / ids.length) % chats}@s.whatsapp.net`
        const lane = vault.index(session, 'events/lane', chat)
        return { seq: first + k, session, lane, id: `evt_${k}`, key: k }
      })
      const line = { class: 'Message', type: 'Load', time, logged: now }
      const waiting = { state: 'pending', attempts: 0, step: 0, next_at: 0, entered: now, last: '' }
      await trx('events').insert(
        rows.map(({ key: k, ...row }) => {
          const body = vault.seal(row.session, `events/${row.id}`, JSON.stringify(bodyOf(k)))
          return { ...row, ...line, body }
        }),
      )
      await trx('webhook_deliveries').insert(
        rows.map(({ seq, session, lane }) => {
          const jid = vault.seal(session, `webhook_deliveries/${session}/${seq}`, '')
          return { ...waiting, seq, endpoint: session, lane, jid }
        }),
      )
    }
    await trx('cursors').update({ seq: first + backlog - 1 })
  })
  await database.close()
  send({ kind: 'filled' })
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function bodyOf(key: number): { event: { Key: number; Text: string } } {
  return { event: { Key: key, Text: TEXT } }
}

function send(message: FromGateway): void {
  process.send?.(message)
}
