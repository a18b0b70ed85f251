import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { GatewayServices, Kernel, Metric, PluginDb, Statistics } from 'wamux/plugin'
import type { LoopDelay } from './loop-delay.ts'

/** `wamux backup` writes it next to the database (config/cli/backup/backup.ts). */
const LAST_BACKUP = 'last-backup'

/** Disk usage of the gateway, and the time of the last backup. */
const diskMetrics = ({ db: { read }, settings }: Pick<Kernel<unknown>, 'db' | 'settings'>) =>
  ({
    wamux_database_bytes: {
      type: 'gauge',
      help: 'Size of the database',
      collect: () => sizeOf(read),
    },
    wamux_last_backup_timestamp_seconds: {
      type: 'gauge',
      help: 'When `wamux backup` last copied the SQLite database, seconds since 1970; absent before it, and on PostgreSQL',
      async collect() {
        const mark = await stat(join(settings.dataDir, LAST_BACKUP)).catch(() => undefined)
        return mark ? [{ value: Math.round(mark.mtimeMs / 1000) }] : []
      },
    },
  }) satisfies Record<string, Metric>

async function sizeOf(read: PluginDb['read']): Promise<number> {
  const query =
    read.client.dialect === 'postgresql'
      ? read.select(read.raw('pg_database_size(current_database()) AS bytes'))
      : read
          .select(read.raw('page_count * page_size AS bytes'))
          .from(read.raw('pragma_page_count(), pragma_page_size()'))
  const [row] = (await query) as { bytes: number | string }[]
  return Number(row?.bytes)
}

type Deps = Pick<Kernel<unknown>, 'consumers' | 'db' | 'describe' | 'settings' | 'statistics'> & {
  loopDelay: LoopDelay
  health?: GatewayServices['health'] | undefined
}

const gauge = (help: string, collect: Metric['collect']): Metric => ({
  type: 'gauge',
  help,
  collect,
})

/** Metrics of the process and the kernel. Process metrics have the names that Node.js dashboards expect. */
export const metrics = ({ consumers, db, describe, statistics, settings, health, loopDelay }: Deps) =>
  ({
    wamux_build_info: gauge('Version of wamux and of Node.js; always 1', () => [
      { labels: { version: settings.version, node: process.version }, value: 1 },
    ]),
    wamux_check: gauge('Checks of GET /server/ready: 1 holds, 0 fails', async () =>
      ((await health?.check()) ?? []).map(({ name, isOk }) => ({
        labels: { check: name },
        value: isOk ? 1 : 0,
      })),
    ),
    wamux_translator_failures_total: {
      type: 'counter',
      help: 'Signals that a plugin failed to translate; their events are missing',
      collect: () =>
        describe().plugins.map(({ name, translatorFailures = 0 }) => ({
          labels: { plugin: name },
          value: translatorFailures,
        })),
    },
    wamux_commit_seconds: {
      type: 'histogram',
      help: 'Time that commits took',
      collect: () => [{ value: statistics().commits }],
    },
    wamux_open_streams: gauge(
      'Open server-sent events, WebSockets and requests that wait for events',
      () => statistics().openStreams,
    ),
    wamux_log_lines_dropped_total: {
      type: 'counter',
      help: 'Lines of the log that were dropped, because nobody read standard output in time',
      collect: () => statistics().droppedLogLines,
    },
    wamux_queued_writes: gauge('Writes that wait for a commit', () => statistics().queuedWrites),
    wamux_consumer_lag_events: gauge('Logged events that a consumer has not handled yet', () =>
      Object.entries(statistics().consumerLag).map(([consumer, value]) => ({ labels: { consumer }, value })),
    ),
    wamux_consumer_slowest_lane_events: gauge(
      'Logged events that a consumer has not handled yet in the session with its largest backlog',
      () =>
        consumers
          .list()
          .map(({ name, behind }) => ({ labels: { consumer: name }, value: behind[0]?.lag ?? 0 })),
    ),
    ...diskMetrics({ db, settings }),
    wamux_event_loop_blocked_total: {
      type: 'counter',
      help: 'How often the event loop was blocked for longer than watchdogMs, by the route, signal or event, or else the plugin that blocked it',
      collect: () =>
        blockedOf(statistics()).map(({ count, ...by }) => ({ labels: labelsOf(by), value: count })),
    },
    wamux_event_loop_blocked_seconds_total: {
      type: 'counter',
      help: 'Seconds for which the event loop was blocked in these',
      collect: () =>
        blockedOf(statistics()).map(({ seconds, ...by }) => ({ labels: labelsOf(by), value: seconds })),
    },
    nodejs_eventloop_lag_p50_seconds: gauge(
      'Median delay of the event loop since the last read',
      () => loopDelay.read().p50,
    ),
    nodejs_eventloop_lag_p99_seconds: gauge(
      '99th percentile of the event loop delay since the last read',
      () => loopDelay.read().p99,
    ),
    nodejs_eventloop_lag_max_seconds: gauge(
      'Longest delay of the event loop since the last read',
      () => loopDelay.read().max,
    ),
    nodejs_heap_size_used_bytes: gauge('Used heap', () => process.memoryUsage().heapUsed),
    nodejs_heap_size_total_bytes: gauge('Heap', () => process.memoryUsage().heapTotal),
    process_resident_memory_bytes: gauge('Resident memory', () => process.memoryUsage.rss()),
    process_cpu_seconds_total: {
      type: 'counter',
      help: 'Processor time, user and system',
      collect: () => {
        const { user, system } = process.cpuUsage()
        return (user + system) / 1e6
      },
    },
    process_start_time_seconds: gauge('When the process started, seconds since 1970', () =>
      Math.round(Date.now() / 1000 - process.uptime()),
    ),
  }) satisfies Record<string, Metric>

type Blocked = Statistics['blocked'][number]

/** The series for unknown work exists from the beginning, so that the first occurrence is an increase. */
function blockedOf({ blocked }: Statistics): readonly Blocked[] {
  const unknown = blocked.some(({ work, plugin }) => work === '' && plugin === '')
  return unknown ? blocked : [{ work: '', plugin: '', count: 0, seconds: 0 }, ...blocked]
}

function labelsOf({ work, plugin }: Pick<Blocked, 'work' | 'plugin'>) {
  return { work, plugin }
}
