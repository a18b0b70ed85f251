import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import knex from 'knex'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import { createVault } from '../../kernel/vault/vault.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import type { LooseNetwork } from '../support/network.ts'
import type { Receiver } from '../support/receiver.ts'
import type { Traffic } from './traffic.ts'

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

/** Without a delivery for so long none will come. */
const DELIVERY_MS = 30_000

export interface Evidence {
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
  let taken = 0
  const take = (): void => {
    for (; taken < receiver.deliveries.length; taken += 1) {
      const { type, eventId, jid, event } = JSON.parse(receiver.deliveries[taken]?.body ?? '{}')
      if (type !== 'Message') continue
      const key = `${jid} ${event.Info.ID}`
      delivered.set(key, (delivered.get(key) ?? new Set()).add(eventId))
    }
  }
  let logged = await readLog(dataDir)
  const missing = (): number => {
    take()
    return [...logged.keys()].filter((key) => !delivered.has(key)).length
  }
  for (let known = -1; known < logged.size; logged = await readLog(dataDir)) {
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

/** Resolves when nothing is left, or when it has not become less for so long. */
export async function emptied(left: () => number, ms: number): Promise<void> {
  let [least, limit] = [Number.POSITIVE_INFINITY, 0]
  for (let now = left(); now > 0; now = left()) {
    if (now < least) [least, limit] = [now, Date.now() + ms]
    else if (Date.now() > limit) return
    await pause()
  }
}

export function pause(ms = 50): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
