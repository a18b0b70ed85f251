import type { Sharing } from '../../types/ownership.ts'

/**
 * Settings of a connection that bound how long it keeps rows from others. The transaction of a machine that has vanished
 * ends within the duration of a lease, so that its sessions do not stay locked for longer than they are leased.
 */
export interface PostgresLimits {
  /** The name shown in pg_stat_activity. */
  readonly application: string
  /** The statement that sets them, of the connection or, with `LOCAL`, of the transaction. */
  set(scope: 'SESSION' | 'LOCAL'): string
}

/** The defaults for a process alone on its database. */
const ALONE: Sharing = { node: '', leaseMs: 15_000 }
/** A statement that runs for longer is a fault; large changes run in slices. */
const MIN_STATEMENT_MS = 30_000
/** A lock is held for longer than this only by another program, or by a machine that has vanished. */
const MIN_LOCK_MS = 100

export function limitsOf({ node, leaseMs }: Sharing = ALONE): PostgresLimits {
  const seconds = (ms: number): number => Math.max(1, Math.round(ms / 1000))
  const timeouts = {
    lock_timeout: Math.max(MIN_LOCK_MS, Math.round(leaseMs / 15)),
    idle_in_transaction_session_timeout: leaseMs,
    statement_timeout: Math.max(MIN_STATEMENT_MS, 2 * leaseMs),
  }
  // Keep-alives of the server's end; they have no effect on a Unix socket.
  const keepalives = {
    tcp_user_timeout: leaseMs,
    tcp_keepalives_idle: seconds(leaseMs / 3),
    tcp_keepalives_interval: seconds(leaseMs / 6),
    tcp_keepalives_count: 3,
  }
  return {
    application: node ? `wamux ${node}` : 'wamux',
    set: (scope) =>
      Object.entries(scope === 'LOCAL' ? timeouts : { ...timeouts, ...keepalives })
        .map(([name, value]) => `SET ${scope} ${name} = ${value}`)
        .join('; '),
  }
}
