import { randomUUID } from 'node:crypto'
import { Readable } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { gatewayError, type Kernel, type RouteBuilder, reply, T, withTimeout } from 'wamux/plugin'
import type { ClientRequests } from './client-requests.ts'
import type { McpConfig } from './config.ts'
import { exchange } from './exchange.ts'
import { createGateway } from './gateway.ts'
import { createMcpServer, hasForms } from './mcp-server.ts'
import type { OwnAddress } from './own-address.ts'
import type { Tool } from './tools.ts'

/** A person may think for minutes, while proxies close a connection after one silent minute. */
const ALIVE_MS = 15_000

/** The messages to a client as server-sent events; the answer is the last. */
function toStream(first: JSONRPCMessage, rest: AsyncGenerator<JSONRPCMessage, void>): Readable {
  const stream = Readable.from(chunks(first, rest))
  // If the stream closes before it is read, `chunks` never runs, nor does its `finally`.
  stream.once('close', () => void rest.return())
  return stream
}

async function* chunks(
  first: JSONRPCMessage,
  rest: AsyncGenerator<JSONRPCMessage, void>,
): AsyncGenerator<string> {
  try {
    yield event(first)
    for (let next = rest.next(); ; ) {
      const found = await withTimeout(next, ALIVE_MS, () => undefined)
      if (!found) yield ': alive\n\n'
      else if (found.done) return
      else {
        yield event(found.value)
        next = rest.next()
      }
    }
  } finally {
    await rest.return()
  }
}

function event(message: JSONRPCMessage): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`
}

/**
 * The server keeps no state of a client between two messages. The capability to ask the user, which a client declares when it
 * connects, is encoded in the id that it then receives (`Mcp-Session-Id`), and so survives a restart.
 */
const ASKING = 'asking-'

/** The id header, if this message connects a client that can ask its user; otherwise none. */
function idFor(message: JSONRPCMessage): Record<string, string> {
  const params = ('method' in message && message.method === 'initialize' && message.params) || {}
  const { capabilities } = params as { capabilities?: { elicitation?: object } }
  return hasForms(capabilities?.elicitation) ? { 'Mcp-Session-Id': `${ASKING}${randomUUID()}` } : {}
}

function canAsk(header: (name: string) => string): boolean {
  return header('mcp-session-id').startsWith(ASKING)
}

interface Deps extends Kernel<McpConfig> {
  ownAddress: OwnAddress
  clientRequests: ClientRequests
  tools(): Promise<Tool[]>
}

export const routes = (r: RouteBuilder<Deps>) => [
  r.post('/mcp', {
    ignoresUnknown: true,
    summary: 'One message of the Model Context Protocol (Streamable HTTP)',
    description:
      'For MCP clients, configured with this address and a session token or a key as bearer token. Each tool is a route of the gateway; its calls are checked, limited and audited like calls of the route. Each message is answered separately, as an event stream if the server first asks the client for a confirmation.',
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    errors: ['PLUGIN_UNAVAILABLE', 'ITEM_UNKNOWN'],
    access: 'token',
    scope: 'read',
    // It shows no data itself: each tool call is checked at its own route.
    isFiltered: true,
    body: T.Object({
      jsonrpc: T.Literal('2.0'),
      id: T.Optional(T.Union([T.String({ maxLength: 256 }), T.Number()])),
      method: T.Optional(T.String({ format: 'name' })),
      // Limited only by the size of the body: files are arguments of tools.
      params: T.Optional(T.Unknown({ maxSize: Number.POSITIVE_INFINITY })),
      result: T.Optional(T.Unknown()),
      error: T.Optional(T.Unknown()),
    }),
    response: T.Unknown({ contentMediaType: 'application/json' }),
    async handle({ body, header, query, signal }, deps) {
      if (query.has('token')) throw gatewayError('FIELD_INVALID', ['token', 'belongs in a header'])
      // The server would take such a message for an answer, and never reply to it.
      if (body.method !== undefined && (body.result !== undefined || body.error !== undefined))
        throw gatewayError('FIELD_INVALID', ['method', 'an answer has none'])
      const { config, settings, ownAddress, clientRequests, tools } = deps
      const message = body as JSONRPCMessage
      const gateway = createGateway(ownAddress.get(), credentials(header))
      const owner = gateway.caller
      if (!('method' in message)) {
        if (clientRequests.answer(owner, message)) return reply('', {}, 202)
        throw gatewayError('ITEM_UNKNOWN', ['Request'])
      }
      const server = await createMcpServer({
        version: settings.version,
        gateway,
        tools,
        scopes: config.scopes,
        names: config.tools,
        confirmSends: config.confirmSends,
        canAsk: () => canAsk(header),
      })
      const sent = exchange(server, message, { requests: clientRequests, owner, signal })
      const { value: first } = await sent.next()
      if (!first) return reply('', {}, 202)
      if ('method' in first) return reply(toStream(first, sent), { 'Content-Type': 'text/event-stream' })
      await sent.return()
      return reply(JSON.stringify(first), { 'Content-Type': 'application/json', ...idFor(message) })
    },
  }),
]

/** Headers passed on from the client, so that its tools have exactly its rights. */
function credentials(header: (name: string) => string): Record<string, string> {
  const names = ['authorization', 'token', 'x-session', 'traceparent']
  return Object.fromEntries(names.flatMap((name) => (header(name) ? [[name, header(name)]] : [])))
}
