import type { Gateway } from '../../../kernel/gateway.ts'
import type { Events } from '../../../kernel/plugin.ts'
import { callsOf } from '../../support/calls.ts'
import { built } from '../built.ts'
import { textOf } from '../mark.ts'
import { serve } from '../serve.ts'

const { loadConfig } = await built<typeof import('../../../config/load.ts')>('config/load')
const { createGateway } = await built<typeof import('../../../kernel/gateway.ts')>('kernel/gateway')
const { createLog } = await built<typeof import('../../../kernel/logging/log.ts')>('kernel/logging/log')
const { openDatabase } =
  await built<typeof import('../../../kernel/db/engines/open.ts')>('kernel/db/engines/open')
const sdk = await built<typeof import('../../../kernel/plugin.ts')>('kernel/plugin')
const { openKeyring } = await built<typeof import('../../../kernel/vault/keyring.ts')>('kernel/vault/keyring')
const { createVault } = await built<typeof import('../../../kernel/vault/vault.ts')>('kernel/vault/vault')
const { migrations } = await built<typeof import('../../../migrations/index.ts')>('migrations/index')

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

/** Where the gateway keeps its data, and where its events go. */
export interface Order {
  dataDir: string
  databaseUrl: string | undefined
  receiver: string
  sessions: number
  /** Of each session. */
  chats: number
}

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
let order: Order
let ids: string[] = []
let highest = 0
setInterval(() => {
  highest = Math.max(highest, process.memoryUsage.rss() / 1e6)
}, 100).unref()

const methods = {
  /** Creates the sessions where there are none yet. */
  async start(wanted: Order) {
    order = wanted
    gateway = await open()
    const calls = callsOf(gateway)
    const admin = { admintoken: ADMIN }
    const { data } = await calls.get('/session/all', admin)
    ids = data.map((row: { Id: string }) => row.Id)
    for (let i = ids.length; i < order.sessions; i += 1) {
      const { data } = await calls.post('/session/init', { Subscribe: ['Message'] }, admin)
      // Unlike the field of /session/init, it makes the row that deliveries refer to.
      const set = await calls.post('/webhook', { WebhookURL: order.receiver }, { token: data.Token })
      if (!set.success) throw new Error(set.error)
      ids.push(data.Id)
    }
  },
  /** Answers when each number was committed, in milliseconds since 1970. */
  async stream(rate: number, seconds: number) {
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
    return commits
  },
  /** Stops, and leaves that many deliveries waiting. */
  fill,
  /** Highest memory so far, in megabytes. */
  highestRss: () => highest,
}
export type WebhookGateway = typeof methods
serve(methods)

async function open(): Promise<Gateway> {
  const { plugins } = await loadConfig({})
  const { dataDir, databaseUrl } = order
  const made = createGateway({
    plugins: [...plugins, { plugin: load }],
    migrations,
    version: 'bench',
    log: createLog({ level: 'error' }),
    dataDir,
    ...(databaseUrl ? { databaseUrl } : {}),
    adminToken: ADMIN,
    keys: KEYS,
    allowPrivateHosts: ['127.0.0.1'],
  })
  await made.start()
  return made
}

async function raise(events: Events, commits: number[], key: number): Promise<void> {
  await events.raise(sessionOf(key), 'load', { key, chat: chatOf(key) })
  commits[key] = performance.timeOrigin + performance.now()
}

/** Rows as the gateway would have left them: events in the log, and a delivery for each. */
async function fill(count: number): Promise<void> {
  await gateway.stop()
  const { dataDir, databaseUrl: url } = order
  const database = await openDatabase({ dataDir, url })
  const now = Date.now()
  const time = new Date(now).toISOString()
  const vault = createVault(openKeyring(KEYS))
  for (const row of await database.read('sessions'))
    vault.restore(row.id, { kid: row.key_id, wrapped: row.key })
  await database.main.transaction(async (trx) => {
    const { seq } = (await trx('events').max({ seq: 'seq' }).first()) ?? {}
    const first = Number(seq ?? 0) + 1
    for (let key = 0; key < count; key += 50) {
      const keys = Array.from({ length: Math.min(50, count - key) }, (_, i) => key + i)
      const rows = keys.map((key) => {
        const session = sessionOf(key)
        const lane = vault.index(session, 'events/lane', chatOf(key))
        return { seq: first + key, session, lane, id: `evt_${key}`, key }
      })
      const line = { class: 'Message', type: 'Load', time, logged: now }
      const waiting = { state: 'pending', attempts: 0, step: 0, next_at: 0, entered: now, last: '' }
      await trx('events').insert(
        rows.map(({ key, ...row }) => {
          const body = vault.seal(row.session, `events/${row.id}`, JSON.stringify(bodyOf(key)))
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
    for (const table of ['consumers', 'cursors']) await trx(table).update({ seq: first + count - 1 })
  })
  await database.close()
}

function sessionOf(key: number): string {
  return ids[key % ids.length] ?? ''
}

function chatOf(key: number): string {
  return `chat${Math.floor(key / ids.length) % order.chats}@s.whatsapp.net`
}

function bodyOf(key: number): { event: { Key: number; Text: string } } {
  return { event: { Key: key, Text: `${textOf(key)} ${TEXT}` } }
}
