import type { FleetUse } from '../bench/nodes.ts'
import { cpuOf, rssOf } from '../bench/proc.ts'
import type { Fleet } from './fleet.ts'

/** Counters since the fleet began; processor time in milliseconds. */
export interface Reading {
  at: number
  /** Bytes of WAL of the whole server. */
  wal: number
  transactions: number
  /** In other databases of the server, whose WAL is counted too. */
  foreign: number
  /** Processes of PostgreSQL that serve the nodes. */
  backends: number
  /** Those of the whole server, which write WAL and pages. */
  background: number
  nodes: number[]
}

export interface Usage extends Omit<FleetUse, 'node' | 'busiest'> {
  /** Transactions in other databases. */
  foreignPerSecond: number
  /** Each node's share of a core, in percent. */
  nodes: number[]
}

/** Connections of a fleet to PostgreSQL. */
export interface Connections {
  total: number
  /** Of the node that had most. */
  ofOneNode: number
}

export interface Meter {
  read(): Promise<Reading>
  /** Counts connections, and the processor time of those that end. */
  sample(): Promise<void>
  /** The highest numbers of all samples. */
  readonly highest: Readonly<Connections>
  /** Megabytes of resident memory of each node. */
  rss(): number[]
}

export function createMeter(fleet: Pick<Fleet, 'look' | 'nodes' | 'databaseCpu'>): Meter {
  const { look, nodes } = fleet
  const highest = { total: 0, ofOneNode: 0 }
  const pids = nodes.map(({ pid }) => pid)
  return {
    highest,
    rss: () => pids.map(rssOf),
    async read() {
      const { rows } = await look.raw(COUNTERS)
      const { wal, transactions, foreign, background } = rows[0] as Record<string, string> & {
        background: number[]
      }
      return {
        at: performance.now(),
        wal: Number(wal),
        transactions: Number(transactions),
        foreign: Number(foreign),
        backends: await fleet.databaseCpu(),
        background: background.reduce((sum, pid) => sum + cpuOf(pid), 0),
        nodes: pids.map(cpuOf),
      }
    },
    async sample() {
      const { rows } = await look.raw(CONNECTIONS)
      const counts = (rows as { count: number }[]).map(({ count }) => count)
      highest.total = Math.max(
        highest.total,
        counts.reduce((sum, count) => sum + count, 0),
      )
      highest.ofOneNode = Math.max(highest.ofOneNode, ...counts)
      await fleet.databaseCpu()
    },
  }
}

export function usageOf(before: Reading, after: Reading): Usage {
  const ms = after.at - before.at
  const share = (from: number, to: number): number => (100 * (to - from)) / ms
  const perSecond = (from: number, to: number): number => (1_000 * (to - from)) / ms
  return {
    walPerMinute: 60 * perSecond(before.wal, after.wal),
    transactionsPerSecond: perSecond(before.transactions, after.transactions),
    foreignPerSecond: perSecond(before.foreign, after.foreign),
    backends: share(before.backends, after.backends),
    background: share(before.background, after.background),
    nodes: before.nodes.map((from, index) => share(from, after.nodes[index] ?? 0)),
  }
}

// Nearly all transactions are one query each.
const COUNTERS = `
  SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS wal,
    sum(xact_commit + xact_rollback) FILTER (WHERE datname = current_database()) AS transactions,
    sum(xact_commit + xact_rollback) FILTER (WHERE datname <> current_database()) AS foreign,
    (SELECT coalesce(array_agg(pid), '{}') FROM pg_stat_activity
      WHERE backend_type IN ('checkpointer', 'background writer', 'walwriter', 'autovacuum launcher')) AS background
  FROM pg_stat_database`

// A node names its connections after itself; that of its lock has a number too.
const CONNECTIONS = `
  SELECT count(*)::int AS count FROM pg_stat_activity
  WHERE datname = current_database() AND application_name LIKE 'wamux%'
  GROUP BY regexp_replace(application_name, ' lock [0-9a-f]+$', '')`
