import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import {
  coalesce,
  type GatewayServices,
  gatewayError,
  type Kernel,
  type Log,
  type Ownership,
  type Reply,
  reasonOf,
  withTimeout,
} from 'wamux/plugin'
import type { ClusterConfig } from './config.ts'
import { type ClusterConnection, createConnection } from './connection.ts'
import { createForwarder, createHopHeaders, type ForwardedCall } from './forward.ts'
import { createLeases, type Leases } from './leases.ts'
import { createMember, type Member } from './member.ts'
import { createNodes, type Node, type Nodes } from './nodes.ts'
import { createNodeLeases, type NodeLeases } from './ownership.ts'
import { createRouter, type Router } from './router.ts'
import { createClientMarks, createSigner, createVerifier } from './sign.ts'

const FORWARD_MS = 5_000

/** This process as a node among those that share the database. */
export interface ClusterNode {
  readonly id: string
  readonly ownership: Ownership
  readonly held: NodeLeases
  readonly member: Member
  readonly nodes: Nodes
  readonly leases: Pick<Leases, 'unserved'>
  readonly router: Router
  /** Sends a request without a body to a node, this one included. Rejects CLUSTER_NODE_FAILED. */
  forward(raw: ForwardedCall['raw'], to: Node): Promise<Reply>
  /** Makes every node look for unserved sessions. */
  notify(): Promise<void>
  /** Rejects CLUSTER_KEYS, CLUSTER_ADDRESS. */
  start(): Promise<void>
  close(): Promise<void>
}

type NodeParts = Pick<
  Kernel<ClusterConfig>,
  'config' | 'db' | 'log' | 'peers' | 'settings' | 'sessions' | 'vault'
> & {
  driver?: GatewayServices['driver'] | undefined
}

export function createClusterNode(parts: NodeParts): ClusterNode {
  const { config, db, log, peers, settings, sessions, vault, driver } = parts
  const { url, secret, leaseMs, name = hostname() } = config
  if (db.read.client.dialect !== 'postgresql') throw gatewayError('CLUSTER_ENGINE')
  if (!url) throw gatewayError('CLUSTER_SETTING', ['url', 'the address at which other nodes reach this one'])
  if (!secret)
    throw gatewayError('CLUSTER_SETTING', ['secret', 'the same on every node, of 32 characters or more'])
  const id = `${name}-${randomBytes(4).toString('hex')}`
  const keyCheck = vault.seal('', keyPlaceOf(id), id)
  const self = { id, name, url, version: settings.version, keyCheck }
  const onNotify = (topics: readonly string[] | undefined): void => {
    if (topics === undefined || topics.length === 0) member.wake()
    if (topics === undefined || topics.length > 0) peers.arrived(topics)
  }
  const connection = createConnection({ db, log, timeoutMs: leaseMs / 5, onNotify })
  const notify = (): Promise<void> => connection.notify()
  peers.connect(createCarrier(connection, log))
  const leases = createLeases(connection, id, leaseMs)
  const nodes = createNodes(connection, self, leaseMs)
  const held = createNodeLeases({ leases, node: id, leaseMs, db, log, notify })
  const member = createMember({ config, connection, held, leases, nodes, node: id, driver, log, sessions })

  /** Checked before serving anything: otherwise values stored by the others could not be read later. */
  async function assertSameKeys(): Promise<void> {
    await nodes.beat()
    for (const other of await nodes.keyChecks()) {
      try {
        vault.open('', keyPlaceOf(other.id), other.sealed)
      } catch (cause) {
        await nodes.remove()
        throw gatewayError('CLUSTER_KEYS', [other.name], { cause })
      }
    }
  }
  /**
   * Two nodes with one address would get each other's requests. The last run of this one may also have it, until its lease
   * ends: it renews that no more, and nobody listens on the address yet.
   */
  async function assertOwnAddress(): Promise<void> {
    const renewalMs = (leaseMs * 4) / 15
    for (const until = performance.now() + 2 * renewalMs; ; ) {
      const twin = await nodes.twin()
      if (!twin || (!twin.hasRenewed && !(await isListening(url as string)))) return
      if (twin.hasRenewed) {
        await nodes.remove()
        throw gatewayError('CLUSTER_ADDRESS', [url as string, twin.name])
      }
      if (performance.now() > until) return
      await sleep(renewalMs / 4)
    }
  }
  const marks = createClientMarks(secret)
  const hop = createHopHeaders(createSigner(secret, id), marks)
  const forwarder = createForwarder(hop)
  const isDraining = (): boolean => member.isDraining
  const verify = createVerifier(secret, id)
  return {
    id,
    held,
    member,
    nodes,
    leases,
    notify,
    forward: (raw, to) =>
      forwarder.forward({ raw, address: '' }, to, undefined, AbortSignal.timeout(FORWARD_MS)),
    router: createRouter({ held, leases, nodes, forwarder, hop, marks, verify, self, sessions, isDraining }),
    ownership: {
      name,
      isDraining,
      // Names in parentheses denote cluster-wide tasks.
      owns: (session) => (session.startsWith('(') ? member.hasTasks() : held.owns(session)),
      holds: held.holds,
      watch: held.watch,
      fence: held.fence,
      horizon: createHorizon(db.read),
      claim: async (session) => (held.owns(session) || !member.isDraining) && held.claim(session),
      drain: member.drain,
    },
    async start() {
      await assertSameKeys()
      await assertOwnAddress()
      await member.start()
    },
    async close() {
      await member.stop()
      await forwarder.close()
    },
  }
}

/** Whether something accepts connections at the address. */
function isListening(url: string): Promise<boolean> {
  const { hostname: host, port, protocol } = new URL(url)
  const socket = connect({
    host: host.replace(/^\[|\]$/g, ''),
    port: Number(port) || (protocol === 'https:' ? 443 : 80),
  })
  const answered = new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
  })
  return withTimeout(answered, CONNECT_MS, () => false).finally(() => socket.destroy())
}

const CONNECT_MS = 2_000
const keyPlaceOf = (node: string): string => `cluster_nodes/${node}`

/**
 * Carries topics to all nodes. Topics that arrive during a send are batched, since the connection also renews the leases.
 */
function createCarrier({ notify }: Pick<ClusterConnection, 'notify'>, log: Log) {
  const waiting = new Set<string>()
  const sending = coalesce(
    async () => {
      const topics = [...waiting]
      waiting.clear()
      await notify(topics)
    },
    { onError: (error) => log.debug({ reason: reasonOf(error) }, 'other nodes not notified') },
  )
  return (topics: readonly string[]): void => {
    for (const topic of topics) waiting.add(topic)
    sending.request()
  }
}

/**
 * The seq up to which a log with several writers is complete: commits are not in the order of seq. Resolves with a seq below
 * which no further line can appear. It does not advance during a long transaction that writes to the log.
 *
 * Such a transaction holds a lock on the table from before it takes a seq until its lines are visible; others, however long
 * they are open, hold none.
 */
export function createHorizon(read: Knex): () => Promise<number> {
  let settled = 0
  /** Seqs up to `seq` belong to transactions that have ended, or to these. */
  let pending: { seq: number; writers: ReadonlySet<string> } | undefined

  return async () => {
    // Read first: a transaction with a later seq may begin to write after the list of those that write.
    const seq = Number((await read('events_seq_seq').first('last_value')).last_value)
    if (seq <= settled) return settled
    const { rows } = await read.raw(WRITERS)
    const writers = new Set(rows.map((row: { id: string }) => row.id))
    if (pending && ![...pending.writers].some((id) => writers.has(id))) {
      settled = Math.max(settled, pending.seq)
      pending = undefined
    }
    if (writers.size === 0) settled = Math.max(settled, seq)
    else pending ??= { seq, writers: writers as ReadonlySet<string> }
    return settled
  }
}

const WRITERS = `
  SELECT virtualtransaction AS id FROM pg_locks
  WHERE locktype = 'relation' AND relation = 'events'::regclass AND granted AND mode IN (
    'RowExclusiveLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`
