import { gatewayError, type RouteBuilder, type Static, T } from 'wamux/plugin'
import type { ClusterNode } from './node.ts'
import type { Node } from './nodes.ts'

const NodeRow = T.Object({
  Id: T.String({ description: 'Identifies this run of the process' }),
  Name: T.String(),
  Url: T.String({ description: 'Address at which the other nodes reach it' }),
  Version: T.String(),
  State: T.Enum(['ready', 'draining', 'silent'], {
    description: '`silent`: its sessions are taken over, or were',
  }),
  Sessions: T.Integer({ description: 'Sessions that it serves' }),
  Started: T.String(),
  Heartbeat: T.String({ description: 'When it was last seen' }),
  Self: T.Boolean({ description: 'Whether it is the answering node' }),
})

interface Deps {
  node: ClusterNode
}

/** What the metrics of another node need: the credentials of the caller. */
const CREDENTIALS = ['admintoken', 'authorization', 'cookie', 'x-wamux-dashboard']

export const routes = (r: RouteBuilder<Deps>) => [
  r.get('/server/nodes', {
    summary: 'List the nodes that share the database, with their numbers of sessions',
    access: 'admin',
    description: 'Nodes that ended without notice are listed for an hour.',
    response: T.Array(NodeRow),
    handle: async (_, { node }) => (await node.nodes.list()).map((row) => toRow(row, node.id)),
  }),
  r.get('/server/nodes/:id/metrics', {
    summary: 'Read the metrics of a node, as its GET /metrics shows them',
    access: 'admin',
    description:
      '`:id` is the `Id` or the `Name` of a node. 502 if it does not answer. Prometheus reads `GET /metrics` of each node.',
    response: T.Unknown({ contentMediaType: 'text/plain', description: 'In the text format of Prometheus' }),
    async handle({ params, raw }, { node: { nodes, forward } }) {
      const owner = await liveNode(nodes, params['id'])
      const headers = Object.fromEntries(
        Object.entries(raw.headers).filter(([name]) => CREDENTIALS.includes(name)),
      )
      return forward({ method: 'GET', url: '/metrics', headers }, owner)
    },
  }),
  r.post('/server/nodes/:id/drain', {
    leaves: [],
    summary: 'Make a node hand its sessions to the others and take no more, or end that',
    access: 'admin',
    audit: 'node.drain',
    description:
      '`:id` is the `Id` or the `Name` of a node. It begins within seconds; `GET /server/nodes` shows the remaining sessions. `{"Drain": false}` ends it. A node stopped by SIGTERM drains automatically.',
    body: T.Object({ Drain: T.Optional(T.Boolean({ default: true })) }),
    response: T.Object({ Id: T.String(), Drain: T.Boolean() }),
    async handle({ params, body }, { node: { nodes, notify } }) {
      const node = await liveNode(nodes, params['id'])
      const Drain = body.Drain ?? true
      await nodes.drain(node.id, Drain)
      await notify()
      return { Id: node.id, Drain }
    },
  }),
]

/** Rejects ITEM_UNKNOWN. */
async function liveNode(nodes: ClusterNode['nodes'], idOrName = ''): Promise<Node> {
  const live = (await nodes.list()).filter(({ isAlive }) => isAlive)
  const node = live.find(({ id }) => id === idOrName) ?? live.find(({ name }) => name === idOrName)
  if (!node) throw gatewayError('ITEM_UNKNOWN', [`Node ${idOrName}`])
  return node
}

function toRow(node: Node, self: string): Static<typeof NodeRow> {
  const { id, name, url, version, started, heartbeat, isDraining, isAlive, sessions } = node
  return {
    Id: id,
    Name: name,
    Url: url,
    Version: version,
    State: isAlive ? (isDraining ? 'draining' : 'ready') : 'silent',
    Sessions: sessions,
    Started: started,
    Heartbeat: heartbeat,
    Self: id === self,
  }
}
