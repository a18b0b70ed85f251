import type { Connection } from './connection.ts'

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

export function createNodes({ query }: Pick<Connection, 'query'>, self: Self, leaseMs: number): Nodes {
  return {
    async beat() {
      // Nodes that ended without notice stay visible for an hour.
      await query("DELETE FROM cluster_nodes WHERE heartbeat < now() - interval '1 hour'")
      const [row] = await query(
        'INSERT INTO cluster_nodes (id, name, url, version, key_check) VALUES ($1, $2, $3, $4, $5) ON CONFLICT (id) DO UPDATE SET heartbeat = now() RETURNING draining',
        [self.id, self.name, self.url, self.version, self.keyCheck],
      )
      const [first] = await query(
        "SELECT min(id) AS id FROM cluster_nodes WHERE NOT draining AND heartbeat > now() - $1 * interval '1 millisecond'",
        [leaseMs],
      )
      return { isAsked: row?.['draining'] === true, isFirst: first?.['id'] === self.id }
    },
    async list() {
      const rows = await query(
        "SELECT n.*, n.heartbeat > now() - $1 * interval '1 millisecond' AS alive, (SELECT count(*) FROM cluster_leases l WHERE l.node = n.id AND l.expires > now()) AS held FROM cluster_nodes n ORDER BY n.name, n.started",
        [leaseMs],
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
      await query('DELETE FROM cluster_nodes WHERE id = $1', [self.id])
    },
  }
}
