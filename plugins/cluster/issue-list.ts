type Row = Readonly<Record<string, unknown>>

/** The cause of sessions that no node serves: each node reports the same ones. */
export const UNSERVED = 'session-unserved'

/** The issues that a node reports, with its name. */
export function ofNode(rows: readonly Row[], name: string): Row[] {
  return rows.map((row) => ({ ...row, Nodes: [name] }))
}

/**
 * Issues of all nodes, each once. A node reports the sessions that it serves, so those of several nodes add up. What has no
 * session is the same on each node that reports it. Sessions that no node serves are those that the asked node knows.
 */
export function mergedIssues(own: readonly Row[], theirs: readonly Row[]): Row[] {
  const groups = new Map<string, Row>()
  for (const row of [...own, ...theirs.filter(({ Cause }) => Cause !== UNSERVED)]) {
    const key = JSON.stringify([row['Cause'], row['Subject'], row['Count'] === 0])
    const before = groups.get(key)
    groups.set(key, before ? merged(before, row) : row)
  }
  return [...groups.values()].sort(byUrgency)
}

/** Sessions that one issue names, like in the answer of a node. */
const MAX_NAMED = 100

function merged(before: Row, row: Row): Row {
  const [oldest, other] = byAge(before, row) <= 0 ? [before, row] : [row, before]
  const sessions = new Map(
    [...listIn(oldest, 'Sessions'), ...listIn(other, 'Sessions')].map((one) => [one['Id'], one]),
  )
  const sum = (field: string): number => Number(before[field]) + Number(row[field])
  // A session that was handed over meanwhile is reported by both.
  const both = listIn(before, 'Sessions').length + listIn(row, 'Sessions').length - sessions.size
  const isOfSessions = Number(before['Count']) > 0
  return {
    ...oldest,
    Waiting: isOfSessions ? sum('Waiting') : Math.max(Number(before['Waiting']), Number(row['Waiting'])),
    Sessions: [...sessions.values()].slice(0, MAX_NAMED),
    Count: sum('Count') - both,
    Nodes: [...new Set([...namesIn(before), ...namesIn(row)])].sort(),
  }
}

function byUrgency(a: Row, b: Row): number {
  return Number(a['Level'] === 'warning') - Number(b['Level'] === 'warning') || byAge(a, b)
}

/** Those of which the begin is unknown come last. */
function byAge(a: Row, b: Row): number {
  const [one, other] = [String(a['Since']) || '~', String(b['Since']) || '~']
  return one < other ? -1 : one > other ? 1 : 0
}

const listIn = (row: Row, field: string): Row[] => (Array.isArray(row[field]) ? (row[field] as Row[]) : [])
const namesIn = (row: Row): string[] => listIn(row, 'Nodes').map(String)
