import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import { canAsk, idFor } from './client-id.ts'
import type { ClientRequests } from './client-requests.ts'
import type { McpConfig } from './config.ts'
import type { Confirmations } from './confirmation.ts'
import { exchange } from './exchange.ts'
import { createGateway } from './gateway.ts'
import { createMcpServer } from './mcp-server.ts'
import type { OwnAddress } from './own-address.ts'
import { toStream } from './stream.ts'
import type { Tool } from './tools.ts'

interface Deps extends Kernel<McpConfig> {
  ownAddress: OwnAddress
  confirmations: Confirmations
  clientRequests: ClientRequests
  tools(): Promise<Tool[]>
}

export const routes = (r: RouteBuilder<Deps>) => [
  r.post('/mcp', {
    summary: 'One message of the Model Context Protocol (Streamable HTTP)',
    description:
      'For clients of MCP, which are given this address and a session token or a key as bearer token. Each tool is a route of the gateway, and its call is checked, limited and audited as that route. Each message is answered separately; as an event stream where the server asks the client for a confirmation first.',
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    errors: ['PLUGIN_UNAVAILABLE', 'ITEM_UNKNOWN'],
    access: 'token',
    scope: 'read',
    // It shows nothing on its own: the call of a tool is checked at the route that it is.
    isFiltered: true,
    body: T.Object({
      jsonrpc: T.Literal('2.0'),
      id: T.Optional(T.Union([T.String({ maxLength: 256 }), T.Number()])),
      method: T.Optional(T.String({ format: 'name' })),
      // As large as a body: files are arguments of tools.
      params: T.Optional(T.Unknown({ maxSize: Number.POSITIVE_INFINITY })),
      result: T.Optional(T.Unknown()),
      error: T.Optional(T.Unknown()),
    }),
    response: T.Unknown({ contentMediaType: 'application/json' }),
    async handle({ body, header, query, signal }, deps) {
      if (query.has('token')) throw gatewayError('FIELD_INVALID', ['token', 'belongs into a header'])
      // The server would take it for an answer, and never answer it.
      if (body.method !== undefined && (body.result !== undefined || body.error !== undefined))
        throw gatewayError('FIELD_INVALID', ['method', 'an answer has none'])
      const { config, settings, ownAddress, confirmations, clientRequests, tools } = deps
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
        confirmations,
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

/** Those of the client, so that its tools can do what it could do itself. */
function credentials(header: (name: string) => string): Record<string, string> {
  const names = ['authorization', 'token', 'x-session', 'traceparent']
  return Object.fromEntries(names.flatMap((name) => (header(name) ? [[name, header(name)]] : [])))
}
