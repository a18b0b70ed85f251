import { text } from 'node:stream/consumers'
import { isGatewayError, type RouteCall, reasonOf } from 'wamux/plugin'
import type { Forwarder } from './forward.ts'
import { mergedIssues, ofNode } from './issue-list.ts'
import type { Leases, Owner } from './leases.ts'
import { goneOf, type Node, type Nodes } from './nodes.ts'
import type { NodeLeases } from './ownership.ts'

export interface ListParts {
  held: Pick<NodeLeases, 'holds'>
  leases: Pick<Leases, 'owners'>
  nodes: Pick<Nodes, 'list'>
  forwarder: Forwarder
  /** Id and name of this node. */
  self: { readonly id: string; readonly name: string }
}

type Row = Readonly<Record<string, unknown>>
type Data = { readonly [field: string]: unknown }

/** Answers that cover more than one session: a node knows its own part, and asks the others for theirs. */
interface List {
  /** The part of this node, for another one that asks. */
  part(own: unknown, parts: ListParts): unknown
  whole(call: RouteCall, own: unknown, parts: ListParts): Promise<unknown>
}

/** A node that takes longer counts as one that does not answer. */
const TIMEOUT_MS = 2_000
/** A check may take 3 s. */
const HEALTH_TIMEOUT_MS = 5_000

const sessionList = (field: string): List => ({
  part(own, { held }) {
    return withRows(
      own,
      field,
      rowsIn(own, field).filter((row) => held.holds(idOf(row))),
    )
  },
  whole: (call, own, parts) => sessionsOf(call, own, field, parts),
})

const issueList: List = {
  part: (own, { self }) => withRows(own, 'Issues', ofNode(rowsIn(own, 'Issues'), self.name)),
  async whole(call, own, parts) {
    const { others } = await liveNodes(parts)
    const asked = await ask(call, others, parts.forwarder, HEALTH_TIMEOUT_MS)
    const theirs = asked.flatMap(({ data }) => rowsIn(data, 'Issues'))
    return {
      Issues: mergedIssues(ofNode(rowsIn(own, 'Issues'), parts.self.name), theirs),
      Unanswered: silent(asked),
    }
  },
}

const LISTS: ReadonlyMap<string, List> = new Map<string, List>([
  ['GET /session/all', sessionList('')],
  ['POST /session/scanned', sessionList('')],
  ['GET /session/summary', sessionList('Sessions')],
  [
    'GET /server/consumers',
    {
      part: (own) => own,
      async whole(call, own, parts) {
        const { others } = await liveNodes(parts)
        const asked = await ask(call, others, parts.forwarder, TIMEOUT_MS)
        const all = [own, ...asked.map(({ data }) => data)].flatMap((data) => rowsIn(data, 'Consumers'))
        return { Consumers: consumersOf(rowsIn(own, 'Consumers'), all), Unanswered: silent(asked) }
      },
    },
  ],
  ['GET /issues', issueList],
  [
    'GET /server/health',
    {
      part: (own, { self }) => named(own, self.name),
      async whole(call, own, parts) {
        const { others, gone } = await liveNodes(parts)
        const asked = await ask(call, others, parts.forwarder, HEALTH_TIMEOUT_MS)
        const rows = [
          ...rowsIn(named(own, parts.self.name), 'Nodes'),
          ...asked.flatMap(({ node, data, why }) => (why ? [unknownNode(node, why)] : rowsIn(data, 'Nodes'))),
          ...gone.map((node) => unknownNode(node, `not seen since ${node.heartbeat}`)),
        ]
        return { Nodes: rows.sort(byName) }
      },
    },
  ],
])

export function listOf({ route }: RouteCall): List | undefined {
  return LISTS.get(`${route.method} ${route.path}`)
}

/** The rows of sessions, each from the node that serves it, or marked as unknown. */
async function sessionsOf(call: RouteCall, own: unknown, field: string, parts: ListParts): Promise<unknown> {
  const { leases, nodes, forwarder, self } = parts
  const rows = rowsIn(own, field)
  const [owners, all] = await Promise.all([leases.owners(), nodes.list()])
  const known = new Map(all.map((node) => [node.id, node]))
  const wanted = new Set(rows.flatMap((row) => owners.get(idOf(row))?.id ?? []))
  wanted.delete(self.id)
  const asked = await ask(
    call,
    [...wanted].flatMap((id) => known.get(id) ?? []),
    forwarder,
    TIMEOUT_MS,
  )
  const answers = new Map(
    asked.map(({ node, data, why }) => [
      node.id,
      { why, rows: new Map(rowsIn(data, field).map((row) => [idOf(row), row])) },
    ]),
  )
  const rowOf = (row: Row, owner: Owner | undefined): Row => {
    if (owner?.id === self.id) return row
    const name = (owner && known.get(owner.id)?.name) ?? ''
    const answer = owner && answers.get(owner.id)
    const found = answer?.rows.get(idOf(row))
    if (found) return found
    if (answer?.why) return unknownSession(row, `the node ${name}, which serves it, does not answer`)
    // One that was never linked has no link that another node could have.
    return owner || row['JID'] ? unknownSession(row, 'no node serves it at the moment') : row
  }
  const merged = rows.map((row) => {
    const owner = owners.get(idOf(row))
    const shown = rowOf(row, owner)
    return 'Node' in row ? { ...shown, Node: (owner && known.get(owner.id)?.name) ?? '' } : shown
  })
  const whole = withRows(own, field, merged)
  return field ? { ...whole, Unanswered: silent(asked) } : whole
}

const unknownSession = (row: Row, Reason: string): Row => ({
  ...row,
  ...{ Connected: false, LoggedIn: false, State: 'unknown', Reason, Slow: false },
  ...{ BanCode: '', Until: '', Next: '', LastStanza: '', Since: '' },
  ...('RestrictedUntil' in row ? { Cause: '', RestrictedUntil: '' } : {}),
})

const unknownNode = ({ name }: Node, Why: string): Row => ({ Name: name, State: 'unknown', Why, Checks: [] })

/** The others that are alive, and the names that have no live process any more. */
async function liveNodes({ nodes, self }: ListParts): Promise<{ others: Node[]; gone: Node[] }> {
  const all = await nodes.list()
  const live = all.filter(({ id, isAlive }) => isAlive || id === self.id)
  return { others: live.filter(({ id }) => id !== self.id), gone: goneOf(all) }
}

const MAX_BEHIND = 10

/** Backlogs are those of the sessions of each node; dead letters are counted in the table, which all nodes share. */
function consumersOf(own: readonly Row[], all: readonly Row[]): Row[] {
  return own.map((row) => {
    const same = all.filter(({ Name }) => Name === row['Name'])
    const behind = same
      .flatMap((one) => rowsIn(one, 'Behind'))
      .sort((a, b) => numberIn(b, 'Lag') - numberIn(a, 'Lag'))
    const lag = same.reduce((sum, one) => sum + numberIn(one, 'Lag'), 0)
    return { ...row, Lag: lag, Behind: behind.slice(0, MAX_BEHIND) }
  })
}

const named = (own: unknown, Name: string): Data => ({
  Nodes: rowsIn(own, 'Nodes').map((row) => ({ ...row, Name })),
})
const silent = (asked: readonly Asked[]): string[] =>
  asked.flatMap(({ node, why }) => (why ? [node.name] : [])).sort()
const byName = (a: Row, b: Row): number => String(a['Name']).localeCompare(String(b['Name']))
const numberIn = (row: Row, field: string): number => Number(row[field] ?? 0)
const idOf = (row: Row): string => String(row['Id'] ?? '')

/** The list in a field of an answer, or that is the answer. */
function rowsIn(data: unknown, field: string): Row[] {
  const list = field ? (data as Data | undefined)?.[field] : data
  return Array.isArray(list) ? (list as Row[]) : []
}

function withRows(data: unknown, field: string, rows: readonly Row[]): object {
  return field ? { ...(data as Data), [field]: rows } : rows
}

/** What another node answered to the same call. */
interface Asked {
  readonly node: Node
  /** The `data` of its answer; undefined if it did not answer. */
  readonly data: unknown
  /** Why it did not answer; '' if it did. */
  readonly why: string
}

/** Forwards a call to each of the nodes at once. Never rejects. */
function ask(
  call: RouteCall,
  nodes: readonly Node[],
  forwarder: Forwarder,
  timeoutMs: number,
): Promise<Asked[]> {
  const askOne = async (node: Node): Promise<Asked> => {
    try {
      const signal = AbortSignal.timeout(timeoutMs)
      const { body, status } = await forwarder.forward(
        call,
        node,
        call.body ? Buffer.from('{}') : undefined,
        signal,
      )
      const answer = JSON.parse(await text(body as NodeJS.ReadableStream)) as { data?: unknown }
      return { node, data: answer.data, why: answer.data === undefined ? `it answered ${status}` : '' }
    } catch (error) {
      // Its own text is about a session.
      const cause = isGatewayError(error) ? (error.cause ?? error) : error
      return { node, data: undefined, why: reasonOf(cause) }
    }
  }
  return Promise.all(nodes.map(askOne))
}
