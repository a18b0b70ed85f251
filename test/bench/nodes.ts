/** What a fleet used in a while; processor time in percent of a core. */
export interface FleetUse {
  walPerMinute: number
  transactionsPerSecond: number
  /** Processes of PostgreSQL that serve the nodes, and those of the whole server. */
  backends: number
  background: number
  /** The median of the nodes, and the one that used most. */
  node: number
  busiest: number
}

/** What `npm run cluster:many` saw. */
export interface Nodes {
  date: string
  nodes: number
  sessions: number
  minutes: number
  /** A second, over all sessions. */
  sends: number
  receives: number
  /** Highest numbers, from the first session on. */
  connections: { total: number; ofOneNode: number }
  idle: FleetUse
  loaded: FleetUse
  /** Megabytes after the load. */
  rss: { median: number; highest: number }
  sent: number
  received: number
  failed: number
  lost: number
  doubled: number
  /** Links of an account side by side, and leases of two nodes at a time. */
  servedTwice: number
  load: string
}

/** A section of BENCHMARKS.md. */
export function nodesOf(all: Nodes): string {
  const { date, nodes, sessions, minutes, sends, receives, connections, idle, loaded, rss, load } = all
  const row = (name: string, shown: (use: FleetUse) => string): string =>
    `| ${name} | ${shown(idle)} | ${shown(loaded)} |`
  const percent = (value: number): string => `${value.toFixed(1)} %`
  return `## Nodes

\`npm run cluster:many -- --nodes ${nodes} --sessions-per-node ${sessions / nodes} --minutes ${minutes}\`, ${date}, load ${load} at the start:
${sessions.toLocaleString('en')} sessions on ${nodes} nodes and one PostgreSQL, first idle, then with ${sends} sends and ${receives} receives a second for ${minutes} minutes,
each request to any node. Of ${all.sent.toLocaleString('en')} messages sent and ${all.received.toLocaleString('en')} received, ${all.failed} failed, ${all.lost} were lost, ${all.doubled} duplicated,
${all.servedTwice} served by two nodes at once. PostgreSQL had at most ${connections.total} connections, ${connections.ofOneNode} per node. Percentages are of one core.

| | idle | under load |
| --- | ---: | ---: |
${[
  row('WAL a minute', ({ walPerMinute }) => sizeOf(walPerMinute)),
  row('transactions a second', ({ transactionsPerSecond }) => transactionsPerSecond.toFixed(0)),
  row('PostgreSQL, processes of the nodes', ({ backends }) => percent(backends)),
  row('PostgreSQL, its own processes', ({ background }) => percent(background)),
  row('a node, median and highest', ({ node, busiest }) => `${percent(node)}, ${percent(busiest)}`),
].join('\n')}
| RSS of a node, median and highest | | ${rss.median.toFixed(0)} MB, ${rss.highest.toFixed(0)} MB |
`
}

function sizeOf(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
