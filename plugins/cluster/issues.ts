import type { Sessions } from 'wamux/plugin'
import { UNSERVED } from './issue-list.ts'
import type { ClusterNode } from './node.ts'
import { goneOf } from './nodes.ts'

/** Sessions without a node, and nodes that ended without notice. */
export function issuesOf({
  node: { leases, member, nodes },
  sessions,
}: {
  node: ClusterNode
  sessions: Sessions
}) {
  async function unserved() {
    const free = await leases.unserved()
    const known = new Map((await sessions.list()).map((session) => [session.id, session]))
    const locks = new Map(member.holders().map((holder) => [holder.session, holder]))
    return free.flatMap(({ session, since }) => {
      // One that was never linked has no link that a node could keep.
      if (!known.get(session)?.jid) return []
      const lock = locks.get(session)
      return {
        cause: UNSERVED,
        level: 'error' as const,
        subject: '',
        session,
        reason: lock
          ? `a transaction of ${lock.application || 'a client of the database'} (process ${lock.pid}) locks its lease`
          : 'no node serves it',
        remedy: lock
          ? 'End that transaction of the database; a node then takes the session.'
          : 'Start a node, or let one that drains take sessions again.',
        screen: '/health',
        screenOfMany: '/health',
        since,
      }
    })
  }

  async function gone() {
    return goneOf(await nodes.list()).map(({ name, heartbeat }) => ({
      cause: 'node-gone',
      level: 'warning' as const,
      subject: name,
      session: '',
      reason: `not seen since ${heartbeat}; the other nodes take its sessions`,
      remedy: 'Start it again. If it was removed for good, it is forgotten after an hour.',
      screen: '/health',
      since: Date.parse(heartbeat),
    }))
  }

  return { list: async () => [...(await unserved()), ...(await gone())] }
}
