import type { HealthCheck, Metric } from 'wamux/plugin'
import type { ClusterConfig } from './config.ts'
import type { ClusterNode } from './node.ts'

interface Deps {
  node: ClusterNode
  config: Readonly<ClusterConfig>
}

export const metrics = ({ node: { held, member, router } }: Deps): Readonly<Record<string, Metric>> => ({
  wamux_cluster_sessions: {
    type: 'gauge',
    help: 'Sessions that this node serves',
    collect: () => held.sessions().length,
  },
  wamux_cluster_renewed_seconds: {
    type: 'gauge',
    help: 'Seconds since this node last renewed its lease',
    collect: () => member.renewedAgoMs() / 1000,
  },
  wamux_cluster_blocked_sessions: {
    type: 'gauge',
    help: 'Sessions without a node whose lease is locked by a transaction, which the log names',
    collect: () => new Set(member.holders().map(({ session }) => session)).size,
  },
  wamux_cluster_forwarded_total: {
    type: 'counter',
    help: 'Requests that this node sent to the node that serves their session',
    collect: () => router.forwarded,
  },
})

export const healthChecks = ({ node: { member }, config }: Deps): Readonly<Record<string, HealthCheck>> => ({
  cluster: {
    async check() {
      if (member.isDraining) return 'this node is handing its sessions over'
      const ago = member.renewedAgoMs()
      if (ago < (config.leaseMs * 2) / 3) return undefined
      return `the lease was not renewed for ${Math.round(ago / 1000)} s`
    },
  },
})
