import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import knex, { type Knex } from 'knex'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import { createVault } from '../../kernel/vault/vault.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../support/eventually.ts'
import type { LooseNetwork } from '../support/network.ts'
import type { Receiver } from '../support/servers/receiver.ts'
import type { Traffic } from './traffic.ts'

/** Empty lists mean that nothing was lost and nothing doubled. */
export interface CrashReport {
  received: number
  sent: number
  /** Received messages that are not in the log. */
  lost: string[]
  /** Received messages that are in the log more than once, or were delivered under two ids. */
  doubled: string[]
  /** Received messages that were logged, or first delivered, before one that the same phone sent to the same chat earlier. */
  misplaced: string[]
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

/** Without a delivery for so long none will come. */
const DELIVERY_MS = 30_000

export interface Evidence {
  traffic: Traffic
  loose: LooseNetwork
  /** Where deliveries go; without it none are expected. */
  receiver?: Receiver
  dataDir: string
  /** PostgreSQL, where the gateway used it. */
  databaseUrl?: string | undefined
  peers: readonly Phone[]
  stop(): Promise<unknown>
}

/** Faults of a report; all of them are empty lists in a clean one. */
export type Faults = Omit<CrashReport, 'received' | 'sent' | 'retries'>

export function faultsOf({ received: _, sent: __, retries: ___, ...faults }: CrashReport): Faults {
  return faults
}

export const NO_FAULTS: Faults = {
  lost: [],
  doubled: [],
  misplaced: [],
  undelivered: [],
  vanished: [],
  repeated: [],
  undecryptable: [],
  refused: [],
}

export async function compare(evidence: Evidence): Promise<CrashReport> {
  const { traffic, loose, receiver, peers, stop } = evidence
  const delivered = new Map<string, Delivered>()
  let taken = 0
  const take = (): void => {
    for (; receiver && taken < receiver.deliveries.length; taken += 1) {
      const { type, eventId, jid, event } = JSON.parse(receiver.deliveries[taken]?.body ?? '{}')
      if (type !== 'Message') continue
      const key = `${jid} ${event.Info.ID}`
      const { ids } = delivered.get(key) ?? { ids: new Set() }
      delivered.set(key, { chat: event.Info.Chat, ids: ids.add(eventId) })
    }
  }
  let logged = await readLog(evidence)
  const missing = (): number => {
    take()
    return receiver ? [...logged.keys()].filter((key) => !delivered.has(key)).length : 0
  }
  for (let known = -1; known < logged.size; logged = await readLog(evidence)) {
    known = logged.size
    await emptied(missing, DELIVERY_MS)
  }
  await stop()

  const idsLogged = new Set([...logged.keys()].map((key) => key.split(' ')[1]))
  const arrived = traffic.arrived()
  return {
    received: traffic.received.size,
    sent: traffic.sent.size,
    lost: [...traffic.received.keys()].filter((id) => !idsLogged.has(id)),
    doubled: [
      ...[...logged].filter(([, { count }]) => count > 1).map(([key]) => key),
      ...[...delivered].filter(([, { ids }]) => ids.size > 1).map(([key]) => key),
    ],
    misplaced: [...misplaced(logged, traffic.received), ...misplaced(delivered, traffic.received)],
    undelivered: receiver ? [...logged.keys()].filter((key) => !delivered.has(key)) : [],
    vanished: [...traffic.sent].filter((text) => !arrived.some((counts) => counts.has(text))),
    repeated: arrived.flatMap((counts) =>
      [...counts].filter(([text, count]) => text.startsWith('out') && count > 1).map(([text]) => text),
    ),
    undecryptable: peers.flatMap(({ failures }) => [...failures]),
    refused: traffic.refused,
    retries: (loose.network.view()['Counters'] as { retries: number }).retries,
  }
}

interface Logged {
  chat: string
  count: number
}

/** Event ids that a message was delivered under. */
interface Delivered {
  chat: string
  ids: Set<string>
}

/** Messages in the order of the log, by account and message id. */
async function readLog({ dataDir, databaseUrl }: Evidence): Promise<Map<string, Logged>> {
  const config: Knex.Config = databaseUrl
    ? { client: 'pg', connection: databaseUrl }
    : {
        client: 'sqlite3',
        connection: { filename: join(dataDir, 'wamux.sqlite') },
        useNullAsDefault: true,
      }
  const database = knex(config)
  const vault = createVault(openKeyring(readFileSync(join(dataDir, 'master-key'), 'utf8').trim()))
  const accounts = new Map<string, string>()
  for (const row of await database('sessions')) {
    vault.restore(row.id, { kid: row.key_id, wrapped: row.key })
    accounts.set(row.id, vault.open(row.id, 'sessions/jid', row.jid).toString().replace(/:\d+@/, '@'))
  }
  const logged = new Map<string, Logged>()
  for (const { id, session, body } of await database('events').where({ type: 'Message' }).orderBy('seq')) {
    const { ID, Chat: chat } = JSON.parse(vault.open(session, `events/${id}`, body).toString()).event.Info
    const key = `${accounts.get(session)} ${ID}`
    const known = logged.get(key)
    logged.set(key, { chat, count: (known?.count ?? 0) + 1 })
  }
  await database.destroy()
  return logged
}

/** Texts are `in <phone> <n>`: within one account and chat the numbers of a phone must rise. */
function misplaced(
  logged: ReadonlyMap<string, { chat: string }>,
  received: ReadonlyMap<string, string>,
): string[] {
  const last = new Map<string, number>()
  const found: string[] = []
  for (const [key, { chat }] of logged) {
    const [account = '', id = ''] = key.split(' ')
    const [, phone, number] = received.get(id)?.split(' ') ?? []
    if (!phone) continue
    const lane = `${account} ${chat} ${phone}`
    if (Number(number) < (last.get(lane) ?? -1)) found.push(`${key}: ${received.get(id)}`)
    else last.set(lane, Number(number))
  }
  return found
}

/** Resolves when nothing is left, or when nothing has changed for so long: what is left then is evidence. */
export async function emptied(left: () => number, quietMs: number): Promise<void> {
  await eventually(() => left() === 0, 'empty', { progress: left, quietMs }).catch(() => undefined)
}
