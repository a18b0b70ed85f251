import { join } from 'node:path'
import knex from 'knex'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { drained, link } from '../crash/crash.ts'
import { type CrashReport, compare, emptied } from '../crash/evidence.ts'
import { randomFrom } from '../crash/random.ts'
import { startTraffic } from '../crash/traffic.ts'
import { temporaryFolder } from '../support/databases.ts'
import { startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { type Clients, startClients } from './clients.ts'
import { storm } from './weather.ts'

export interface FlappingOptions {
  seconds: number
  seed: number
  onProgress?(line: string): void
}

export interface FlappingReport extends CrashReport {
  troubles: number
  /** Connections of the sessions to the network. */
  logins: number
  /** Messages that were in flight when the network closed a connection, and of them those that were tried alone after that. */
  suspects: number
  trials: number
  /** Messages of the clients that do not repeat: those that were accepted, and of them those of unknown outcome that did not arrive. */
  accepted: number
  unknown: number
  /** What was answered in place of success, each once. */
  answers: string[]
  /** Reported or shown as failed, though nothing was refused. */
  failed: string[]
  /** Answered or shown as sent, but on no phone. */
  missing: string[]
  /** Without its outcome in the end: pending, or unknown though it arrived. */
  unsettled: string[]
  /** Sent to one chat by one client, and arrived in another order, or twice. */
  disordered: string[]
  /** Answers that say that nothing goes out any more, of messages that may. */
  denied: string[]
}

const DRAIN_MS = 60_000
/** A swallowed frame is noticed soon, so that a short run sees it. */
const ENV = { WAMUX_BAILEYS_ACK_TIMEOUT_MS: '5000', WAMUX_BAILEYS_QUERY_TIMEOUT_MS: '5000' }

/** One gateway on a network that comes and goes, under traffic both ways; what everybody has and knows in the end. */
export async function flap({ seconds, seed, onProgress }: FlappingOptions): Promise<FlappingReport> {
  const loose = await startNetwork()
  const receiver = await startReceiver()
  const dataDir = temporaryFolder()
  const gateway = await startProcess({
    WAMUX_DATA_DIR: dataDir,
    WAMUX_BAILEYS_NETWORK: loose.card,
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    ...ENV,
  })
  try {
    const names = ['A', 'B', 'C', 'D', 'E']
    const [a, b, ...peers] = await Promise.all(names.map((name) => loose.phones.create({ name })))
    if (!a || !b) throw new Error('no phones')
    const linked = [a, b]
    const sessions = [await link(gateway, a, receiver), await link(gateway, b, receiver)]
    const Participants = [a, b, ...peers.slice(1)].map(({ account }) => account.phone)
    const { JID } = await (peers[0] as Phone).act({ Action: 'createGroup', Text: 'G', Participants })
    const group = String(JID)
    const traffic = startTraffic({ sessions, peers, group, writeMs: 200 })
    traffic.gateway = gateway
    await traffic.nextSent()
    const clients = startClients({ gateway, sessions, peers, group })

    const until = Date.now() + seconds * 1000
    const place = { loose, linked, random: randomFrom(seed) }
    const troubles = await storm(place, until, (name, count) => {
      const figures = `${traffic.received.size} received, ${traffic.sent.size + clients.accepted.size} sent`
      onProgress?.(
        `${Math.max(0, Math.round((until - Date.now()) / 1000))} s left, ${count}: ${name}; ${figures}`,
      )
    })
    await clients.stop()
    await traffic.stop(DRAIN_MS)
    await drained(loose, linked, DRAIN_MS)
    const outgoing = new Map(clients.accepted)
    for (const text of traffic.sent) outgoing.set(text.replace(' ', '').toUpperCase(), { text, token: '' })
    const states = await outcomes(gateway, outgoing, sessions)
    const { logins } = loose.network.view()['Counters'] as { logins: number }
    const crash = await compare({
      ...{ traffic, loose, receiver, dataDir, peers },
      stop: () => gateway.end('SIGTERM'),
    })
    const told = receiver.deliveries.flatMap(({ body }) => {
      const { type, event } = JSON.parse(body)
      return type === 'SendFailed' && event.Outcome === 'failed' ? [`${event.Id} ${event.Error}`] : []
    })
    const answers = [...new Set([...traffic.postponed, ...clients.answers])].sort()
    return {
      ...crash,
      troubles,
      logins,
      ...(await suspicions(dataDir)),
      accepted: clients.accepted.size,
      answers,
      denied: answers.filter((answer) => answer.startsWith('502')),
      ...judge(clients, states, new Set(told)),
    }
  } finally {
    await gateway.end('SIGKILL')
    await receiver.close()
    await loose.network.close()
  }
}

/** Of the rows of messages, after the gateway has stopped. */
async function suspicions(dataDir: string): Promise<{ suspects: number; trials: number }> {
  const connection = { filename: join(dataDir, 'wamux.sqlite') }
  const database = knex({ client: 'sqlite3', connection, useNullAsDefault: true })
  const breaks = (await database('baileys_outgoing').where('breaks', '>', 0)).map((row) => Number(row.breaks))
  await database.destroy()
  return { suspects: breaks.length, trials: breaks.filter((count) => count > 1).length }
}

interface State {
  text: string
  status: string
  isAnswered?: boolean
}

/** What the gateway says of each send, once none is pending any more. */
async function outcomes(
  gateway: GatewayProcess,
  outgoing: ReadonlyMap<string, { text: string; token: string }>,
  sessions: readonly { token: string }[],
): Promise<Map<string, State>> {
  const states = new Map<string, State>()
  const ask = async (id: string, text: string, tokens: readonly string[]): Promise<void> => {
    for (const token of tokens) {
      const { data, status } = await gateway.get(`/send/${id}`, { token })
      if (status === 200) states.set(id, { text, status: data.Status })
    }
  }
  const rest = (): string[] =>
    [...outgoing.keys()].filter((id) => (states.get(id)?.status ?? 'Pending') === 'Pending')
  const round = async (): Promise<void> => {
    for (const id of rest()) {
      const { text = '', token = '' } = outgoing.get(id) ?? {}
      await ask(id, text, token ? [token] : sessions.map((session) => session.token))
    }
  }
  await round()
  const pending = (): number => [...states.values()].filter(({ status }) => status === 'Pending').length
  const timer = setInterval(() => void round(), 500)
  await emptied(pending, 20_000)
  clearInterval(timer)
  return states
}

type Verdict = Pick<FlappingReport, 'failed' | 'missing' | 'unsettled' | 'disordered' | 'unknown'>

function judge(clients: Clients, states: ReadonlyMap<string, State>, told: ReadonlySet<string>): Verdict {
  const arrived = clients.arrived()
  const all = new Set(arrived.flat())
  const failed = [...told]
  const missing: string[] = []
  const unsettled: string[] = []
  let unknown = 0
  for (const [id, { text, status }] of states) {
    const isHere = all.has(text)
    if (status === 'Failed') failed.push(`${id} ${isHere ? 'arrived' : 'did not arrive'}`)
    if (status === 'Sent' && !isHere) missing.push(id)
    if (status === 'Pending' || (status === 'Unknown' && isHere)) unsettled.push(`${id} ${status}`)
    if (status === 'Unknown' && !isHere) unknown += 1
  }
  for (const id of clients.answered) {
    const text = clients.accepted.get(id)?.text ?? ''
    if (!all.has(text)) missing.push(`${id}, answered`)
  }
  return { failed, missing, unsettled, unknown, disordered: arrived.flatMap(disorderedOf) }
}

/** Texts are `<client> <n>`: the numbers of a client must rise. */
function disorderedOf(texts: readonly string[]): string[] {
  const last = new Map<string, number>()
  const found: string[] = []
  for (const text of texts) {
    const [, client = '', number = ''] = /^(queued \d+|grouped \d+) (\d+)$/.exec(text) ?? []
    if (!client) continue
    const before = last.get(client) ?? -1
    if (Number(number) <= before) found.push(`${text} after ${before}`)
    else last.set(client, Number(number))
  }
  return found
}
