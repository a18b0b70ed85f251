import type { ClusterConnection, ResultRow } from './connection.ts'

/** A lease as stored in the database. */
export interface Lease {
  readonly session: string
  readonly epoch: number
}

/** Where a session is served. */
export interface Owner {
  readonly id: string
  readonly url: string
}

/** A session that no live node has. */
export interface Unserved {
  readonly session: string
  /** Since when, milliseconds since 1970; 0 if that is unknown. */
  readonly since: number
}

/** Number of sessions of each live node. */
export interface Census {
  readonly sessions: number
  /** Nodes that take sessions, always including this one. */
  readonly nodes: readonly { readonly id: string; readonly held: number }[]
}

/** A transaction that keeps a session from being claimed. */
export interface Holder {
  readonly session: string
  /** Process id of its backend at the server. */
  readonly pid: number
  readonly application: string
  readonly state: string
  /** Age of the transaction. */
  readonly seconds: number
}

export interface ClaimOptions {
  limit: number
  /** Sessions that this process already holds. */
  held: readonly string[]
  /** Sessions that come first. */
  first?: readonly string[]
  /** The only session that is wanted. */
  session?: string
}

/**
 * One node's access to the tables of leases. A session's lease names its node, and lasts as long as that node's, which it
 * renews. All times are the database's. No statement here waits for a locked row, except `release`.
 */
export interface Leases {
  /** Claims sessions that no live node has. A session whose row is locked is skipped until the next call. */
  claim(options: ClaimOptions): Promise<Lease[]>
  /** Who holds the rows of sessions that could be claimed otherwise. */
  holders(): Promise<Holder[]>
  /** Extends the lease of this node, and with it those of all its sessions, with which it resolves. */
  renew(): Promise<Lease[]>
  /**
   * Releases leases; `desired` has the first claim for a while, then anyone. Part of `query`'s transaction, if given, which
   * waits for locked rows.
   */
  release(query: Query | undefined, leases: readonly Lease[], desired?: string): Promise<void>
  /** Undefined if nobody has it. */
  owner(session: string): Promise<Owner | undefined>
  owners(): Promise<ReadonlyMap<string, Owner>>
  /** Sessions that nobody has had for longer than a lease: those being handed over are not among them. */
  unserved(): Promise<Unserved[]>
  census(): Promise<Census>
}

type Query = (text: string, values: readonly unknown[]) => Promise<unknown>

/** How long a session handed to a certain node waits for it. */
const DESIRED_MS = 5_000

export function createLeases(
  { query }: Pick<ClusterConnection, 'query'>,
  node: string,
  leaseMs: number,
): Leases {
  return {
    async claim({ limit, held, first = [], session }) {
      await query(ADD_MISSING, [session ?? null])
      return (await query(CLAIM, [node, held, session ?? null, limit, first])).map(toLease)
    },
    async holders() {
      const rows = await query(HOLDERS, [node])
      return rows.map((row) => ({
        session: String(row['session']),
        pid: Number(row['pid']),
        application: String(row['application_name']),
        state: String(row['state']),
        seconds: Math.round(Number(row['seconds'])),
      }))
    },
    renew: async () => (await query(RENEW, [node, leaseMs])).map(toLease),
    async release(run, leases, desired) {
      const sessions = leases.map(({ session }) => session)
      const epochs = leases.map(({ epoch }) => epoch)
      await (run ?? query)(RELEASE, [node, sessions, epochs, desired ?? null, DESIRED_MS])
    },
    async owner(session) {
      const [row] = await query(
        `SELECT n.id, n.url FROM cluster_leases l JOIN cluster_nodes n ON n.id = l.node WHERE l.session = $1 AND ${IS_LIVE}`,
        [session],
      )
      return row && { id: String(row['id']), url: String(row['url']) }
    },
    async owners() {
      const rows = await query(
        `SELECT l.session, n.id, n.url FROM cluster_leases l JOIN cluster_nodes n ON n.id = l.node WHERE ${IS_LIVE}`,
      )
      return new Map(
        rows.map((row) => [String(row['session']), { id: String(row['id']), url: String(row['url']) }]),
      )
    },
    async unserved() {
      return (await query(UNSERVED, [leaseMs])).map((row) => ({
        session: String(row['session']),
        since: (row['since'] as Date | null)?.getTime() ?? 0,
      }))
    },
    async census() {
      const rows = await query(CENSUS, [node])
      return {
        sessions: Number(rows[0]?.['sessions'] ?? 0),
        nodes: rows.map((row) => ({ id: String(row['id']), held: Number(row['held']) })),
      }
    },
  }
}

/**
 * Whether the node of a lease `l` is alive. PostgreSQL evaluates the list of `IN` once; `EXISTS` would read, for each lease,
 * all deleted renewals that are not yet vacuumed.
 */
export const IS_LIVE = '(l.node IN (SELECT r.node FROM cluster_renewals r WHERE r.expires > now()))'

/** The sessions that node `$1`, which holds `$2`, may claim. */
const IS_OPEN = `
  (l.node IS NULL AND (l.desired IS NULL OR l.desired = $1 OR l.reserved < now())
    OR l.node = $1 AND l.session <> ALL ($2::text[])
    OR l.node <> $1 AND NOT ${IS_LIVE})`

/** A session that is being deleted or was locked by somebody gets its row later. */
const ADD_MISSING = `
  INSERT INTO cluster_leases (session, epoch)
  SELECT id, 0 FROM sessions s
  WHERE ($1::text IS NULL OR id = $1) AND NOT EXISTS (SELECT 1 FROM cluster_leases WHERE session = s.id)
  FOR KEY SHARE OF s SKIP LOCKED
  ON CONFLICT DO NOTHING`

// A locked row is compared again by its epoch: another node may have claimed it, or its own node after a renewal, since
// this statement began.
const CLAIM = `
  WITH open AS MATERIALIZED (
    SELECT l.session, l.epoch FROM cluster_leases l WHERE ($3::text IS NULL OR l.session = $3) AND ${IS_OPEN}),
  locked AS (
    SELECT l.session FROM cluster_leases l JOIN open USING (session, epoch)
    ORDER BY l.session = ANY ($5::text[]) DESC, random() LIMIT $4 FOR UPDATE OF l SKIP LOCKED)
  UPDATE cluster_leases l SET node = $1, epoch = l.epoch + 1, desired = NULL
  FROM locked WHERE l.session = locked.session RETURNING l.session, l.epoch`

// A released row says until when the node that it was meant for had the first claim. A node that ended without notice has
// its last heartbeat.
const UNSERVED = `
  SELECT session, since FROM (
    SELECT l.session, CASE WHEN l.node IS NULL THEN l.reserved ELSE n.heartbeat END AS since
    FROM cluster_leases l LEFT JOIN cluster_nodes n ON n.id = l.node
    WHERE l.epoch > 0 AND (l.node IS NULL OR NOT ${IS_LIVE})) free
  WHERE since IS NULL OR since < now() - $1 * interval '1 millisecond'`

// A row that is locked names its transaction in xmax; of several that share the lock it names none.
const HOLDERS = `
  SELECT l.session, a.pid, a.application_name, a.state, extract(epoch FROM now() - a.xact_start) AS seconds
  FROM cluster_leases l
  JOIN pg_locks k ON k.locktype = 'transactionid' AND k.granted AND k.transactionid = l.xmax
  JOIN pg_stat_activity a USING (pid)
  WHERE (l.node IS NULL AND (l.desired IS NULL OR l.desired = $1 OR l.reserved < now())
    OR l.node <> $1 AND NOT ${IS_LIVE})
  ORDER BY a.xact_start LIMIT 20`

// A new row instead of a changed one: an insertion waits for no lock. The old ones are deleted when nobody holds them.
const RENEW = `
  WITH renewed AS (
    INSERT INTO cluster_renewals (node, expires) VALUES ($1, now() + $2 * interval '1 millisecond')),
  old AS (
    DELETE FROM cluster_renewals WHERE ctid = ANY (ARRAY (
      SELECT ctid FROM cluster_renewals WHERE node = $1 FOR UPDATE SKIP LOCKED)))
  SELECT session, epoch FROM cluster_leases WHERE node = $1`

// Several leases are locked in byte order, like in the fence: different orders could deadlock.
const RELEASE = `
  WITH own AS (
    SELECT l.session FROM cluster_leases l
    JOIN unnest($2::text[], $3::bigint[]) AS given(session, epoch) USING (session, epoch)
    WHERE l.node = $1 ORDER BY l.session COLLATE "C" FOR NO KEY UPDATE OF l)
  UPDATE cluster_leases l
  SET node = NULL, desired = $4, reserved = now() + $5 * interval '1 millisecond'
  FROM own WHERE l.session = own.session`

const CENSUS = `
  SELECT n.id, (SELECT count(*) FROM sessions) AS sessions,
    (SELECT count(*) FROM cluster_leases l WHERE l.node = n.id AND ${IS_LIVE}) AS held
  FROM cluster_nodes n
  WHERE n.id = $1
    OR NOT n.draining AND EXISTS (SELECT 1 FROM cluster_renewals r WHERE r.node = n.id AND r.expires > now())`

function toLease(row: ResultRow): Lease {
  return { session: String(row['session']), epoch: Number(row['epoch']) }
}
