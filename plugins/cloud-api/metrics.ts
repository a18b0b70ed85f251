import type { Metric } from 'wamux/plugin'
import type { Courier } from './webhook/courier.ts'

export const metrics = ({ courier }: { courier: Courier }) =>
  ({
    wamux_cloud_api_posts_total: {
      type: 'counter',
      help: 'Bodies posted to webhooks of the Cloud API, by outcome: accepted, refused, unreachable',
      collect: () =>
        Object.entries(courier.tally().posts).map(([outcome, value]) => ({ labels: { outcome }, value })),
    },
    wamux_cloud_api_waiting: {
      type: 'gauge',
      help: 'Bodies that webhooks of the Cloud API have not accepted yet',
      collect: () => courier.tally().waiting,
    },
    wamux_cloud_api_oldest_waiting_seconds: {
      type: 'gauge',
      help: 'Age of the oldest body that waits; 0 when none does',
      collect: () => {
        const { since } = courier.tally()
        return since === undefined ? 0 : (Date.now() - since) / 1000
      },
    },
    wamux_cloud_api_dead: {
      type: 'gauge',
      help: 'Bodies that webhooks of the Cloud API never accepted (dead letters)',
      collect: () => courier.tally().dead,
    },
  }) satisfies Record<string, Metric>
