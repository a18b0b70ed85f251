import type { ClusterConnection } from './connection.ts'
import { IS_LIVE } from './leases.ts'

/** A node as stored in the table. */
export interface Node {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly version: string
  readonly started: string
  readonly heartbeat: string
  readonly isDraining: boolean
  /** Whether it was seen within the duration of a lease. */
  readonly isAlive: boolean
  readonly sessions: number
}

export interface Beat {
  /** Somebody asked this node to drain. */
  isAsked: boolean
  /** It is the live node that runs the cluster-wide tasks, for example retention. */
  isFirst: boolean
}

export interface Nodes {
  /** Marks this node as alive. */
  beat(): Promise<Beat>
  list(): Promise<Node[]>
  /**
   * Another node with the address of this one whose lease has not ended: a live one, or the last run of this one, which
   * has not renewed it since this one started.
   */
  twin(): Promise<{ name: string; hasRenewed: boolean } | undefined>
  /** The sealed value of each live node older than this one; nodes of the previous version have none. */
  keyChecks(): Promise<{ id: string; name: string; sealed: Buffer }[]>
  /** Asks a node to drain, or to take sessions again; false if there is no such node. */
  drain(id: string, isDraining: boolean): Promise<boolean>
  remove(): Promise<void>
}

export interface Self {
  readonly id: string
  readonly name: string
  readonly url: string
  readonly version: string
  /** Sealed under its active master key. */
  readonly keyCheck: Buffer
}

export function createNodes({ query }: Pick<ClusterConnection, 'query'>, self: Self, leaseMs: number): Nodes {
  return {
    async beat() {
      await query(REMOVE_OLD)
      await query(REMOVE_OLD_RENEWALS)
      await query(
        'INSERT INTO cluster_nodes (id, name, url, version, key_check) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING',
        [self.id, self.name, self.url, self.version, self.keyCheck],
      )
      await query(TOUCH, [self.id])
      const [row] = await query(
        `SELECT n.draining, (SELECT min(id) FROM cluster_nodes n WHERE NOT n.draining AND ${IS_ALIVE}) AS first FROM cluster_nodes n WHERE n.id = $1`,
        [self.id],
      )
      return { isAsked: row?.['draining'] === true, isFirst: row?.['first'] === self.id }
    },
    async list() {
      const rows = await query(
        `SELECT n.*, ${IS_ALIVE} AS alive, (SELECT count(*) FROM cluster_leases l WHERE l.node = n.id AND ${IS_LIVE}) AS held FROM cluster_nodes n ORDER BY n.name, n.started`,
        [],
      )
      return rows.map((row) => ({
        id: String(row['id']),
        name: String(row['name']),
        url: String(row['url']),
        version: String(row['version']),
        started: (row['started'] as Date).toISOString(),
        heartbeat: (row['heartbeat'] as Date).toISOString(),
        isDraining: row['draining'] === true,
        isAlive: row['alive'] === true,
        sessions: Number(row['held']),
      }))
    },
    async twin() {
      const [row] = await query(TWIN, [self.id, leaseMs])
      if (!row) return undefined
      return { name: String(row['name']), hasRenewed: row['renewed'] === true }
    },
    async keyChecks() {
      const rows = await query(
        "SELECT n.id, n.name, n.key_check FROM cluster_nodes n, cluster_nodes self WHERE self.id = $1 AND (n.started, n.id) < (self.started, self.id) AND n.key_check IS NOT NULL AND n.heartbeat > now() - $2 * interval '1 millisecond'",
        [self.id, leaseMs],
      )
      return rows.map((row) => ({
        id: String(row['id']),
        name: String(row['name']),
        sealed: row['key_check'] as Buffer,
      }))
    },
    async drain(id, isDraining) {
      const rows = await query('UPDATE cluster_nodes SET draining = $2 WHERE id = $1 RETURNING id', [
        id,
        isDraining,
      ])
      return rows.length > 0
    },
    remove: async () => {
      await query('DELETE FROM cluster_renewals WHERE node = $1', [self.id])
      await query('DELETE FROM cluster_nodes WHERE id = $1', [self.id])
    },
  }
}

/** The last process of each name that has no live one any more. */
export function goneOf(all: readonly Node[]): Node[] {
  const names = new Set(all.filter(({ isAlive }) => isAlive).map(({ name }) => name))
  return [...new Map(all.filter(({ name }) => !names.has(name)).map((node) => [node.name, node])).values()]
}

/** For a row `n`. */
const IS_ALIVE = '(EXISTS (SELECT 1 FROM cluster_renewals r WHERE r.node = n.id AND r.expires > now()))'

// None of these waits for a locked row, since the connection also renews the lease.
// Nodes that ended without notice stay visible for an hour.
const REMOVE_OLD = `
  DELETE FROM cluster_nodes WHERE id IN (
    SELECT id FROM cluster_nodes WHERE heartbeat < now() - interval '1 hour' FOR UPDATE SKIP LOCKED)`
const REMOVE_OLD_RENEWALS = `
  DELETE FROM cluster_renewals WHERE ctid = ANY (ARRAY (
    SELECT ctid FROM cluster_renewals WHERE expires < now() - interval '1 hour' FOR UPDATE SKIP LOCKED))`
const TOUCH = `
  UPDATE cluster_nodes SET heartbeat = now() WHERE id IN (
    SELECT id FROM cluster_nodes WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED)`

/** Another live node with the address of this one, and whether it has renewed its lease since this one started. */
const TWIN = `
  SELECT n.name, r.expires - $2 * interval '1 millisecond' > self.started AS renewed
  FROM cluster_nodes self
  JOIN cluster_nodes n ON rtrim(n.url, '/') = rtrim(self.url, '/') AND n.id <> self.id
  JOIN cluster_renewals r ON r.node = n.id AND r.expires > now()
  WHERE self.id = $1 ORDER BY renewed DESC LIMIT 1`
