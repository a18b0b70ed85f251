import type { Connection, Row } from './connection.ts'

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

/** Number of sessions of each live node. */
export interface Census {
  readonly sessions: number
  /** Nodes that take sessions, always including this one. */
  readonly nodes: readonly { readonly id: string; readonly held: number }[]
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

/** One node's access to the table of leases. All times are the database's. */
export interface Leases {
  claim(options: ClaimOptions): Promise<Lease[]>
  /** Extends the leases of these sessions; resolves with those that this node still has. */
  renew(sessions: readonly string[]): Promise<Lease[]>
  /** Releases leases; `desired` has the first claim for a while, then anyone. Part of `query`'s transaction. */
  release(query: Query, leases: readonly Lease[], desired?: string): Promise<void>
  /** Undefined if nobody has it. */
  owner(session: string): Promise<Owner | undefined>
  owners(): Promise<ReadonlyMap<string, Owner>>
  census(): Promise<Census>
}

export type Query = (text: string, values: readonly unknown[]) => Promise<unknown>

/** How long a session handed to a certain node waits for it. */
const DESIRED_MS = 5_000

export function createLeases({ query }: Pick<Connection, 'query'>, node: string, leaseMs: number): Leases {
  return {
    async claim({ limit, held, first = [], session }) {
      await query(
        'INSERT INTO cluster_leases (session, epoch) SELECT id, 0 FROM sessions s WHERE ($1::text IS NULL OR id = $1) AND NOT EXISTS (SELECT 1 FROM cluster_leases WHERE session = s.id) ON CONFLICT DO NOTHING',
        [session ?? null],
      )
      return (await query(CLAIM, [node, limit, held, first, session ?? null, leaseMs])).map(toLease)
    },
    renew: async (sessions) => (await query(RENEW, [node, sessions, leaseMs])).map(toLease),
    async release(run, leases, desired) {
      const sessions = leases.map(({ session }) => session)
      const epochs = leases.map(({ epoch }) => epoch)
      await run(RELEASE, [node, sessions, epochs, desired ?? null, DESIRED_MS])
    },
    async owner(session) {
      const [row] = await query(
        'SELECT n.id, n.url FROM cluster_leases l JOIN cluster_nodes n ON n.id = l.node WHERE l.session = $1 AND l.expires > now()',
        [session],
      )
      return row && { id: String(row['id']), url: String(row['url']) }
    },
    async owners() {
      const rows = await query(
        'SELECT l.session, n.id, n.url FROM cluster_leases l JOIN cluster_nodes n ON n.id = l.node WHERE l.expires > now()',
      )
      return new Map(
        rows.map((row) => [String(row['session']), { id: String(row['id']), url: String(row['url']) }]),
      )
    },
    async census() {
      const rows = await query(CENSUS, [node, leaseMs])
      return {
        sessions: Number(rows[0]?.['sessions'] ?? 0),
        nodes: rows.map((row) => ({ id: String(row['id']), held: Number(row['held']) })),
      }
    },
  }
}

// A row locked by its owner's transaction is skipped until the next scan.
const CLAIM = `
  WITH open AS (
    SELECT session FROM cluster_leases
    WHERE ($5::text IS NULL OR session = $5)
      AND (expires < now() OR node IS NULL AND (desired IS NULL OR desired = $1)
        OR node = $1 AND session <> ALL ($3::text[]))
      AND (node IS DISTINCT FROM $1 OR session <> ALL ($3::text[]))
    ORDER BY session = ANY ($4::text[]) DESC, random() LIMIT $2 FOR UPDATE SKIP LOCKED)
  UPDATE cluster_leases l
  SET node = $1, epoch = l.epoch + 1, expires = now() + $6 * interval '1 millisecond', desired = NULL
  FROM open WHERE l.session = open.session RETURNING l.session, l.epoch`

// Several leases are locked in byte order, like in the fence: different orders could deadlock.
const RENEW = `
  WITH own AS (
    SELECT session FROM cluster_leases WHERE node = $1 AND session = ANY ($2::text[])
    ORDER BY session COLLATE "C" FOR NO KEY UPDATE)
  UPDATE cluster_leases l SET expires = now() + $3 * interval '1 millisecond'
  FROM own WHERE l.session = own.session RETURNING l.session, l.epoch`

const RELEASE = `
  WITH own AS (
    SELECT l.session FROM cluster_leases l
    JOIN unnest($2::text[], $3::bigint[]) AS given(session, epoch) USING (session, epoch)
    WHERE l.node = $1 ORDER BY l.session COLLATE "C" FOR NO KEY UPDATE OF l)
  UPDATE cluster_leases l
  SET node = NULL, desired = $4, expires = now() + $5 * interval '1 millisecond'
  FROM own WHERE l.session = own.session`

const CENSUS = `
  SELECT n.id, (SELECT count(*) FROM sessions) AS sessions,
    (SELECT count(*) FROM cluster_leases l WHERE l.node = n.id AND l.expires > now()) AS held
  FROM cluster_nodes n
  WHERE n.id = $1 OR NOT n.draining AND n.heartbeat > now() - $2 * interval '1 millisecond'`

function toLease(row: Row): Lease {
  return { session: String(row['session']), epoch: Number(row['epoch']) }
}
