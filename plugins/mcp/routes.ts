import { gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { McpConfig } from './config.ts'
import type { Confirmations } from './confirmation.ts'
import { exchange } from './exchange.ts'
import { createGateway } from './gateway.ts'
import { createMcpServer } from './mcp-server.ts'
import type { OwnAddress } from './own-address.ts'
import type { Tool } from './tools.ts'

interface Deps extends Kernel<McpConfig> {
  ownAddress: OwnAddress
  confirmations: Confirmations
  tools(): Promise<Tool[]>
}

export const routes = (r: RouteBuilder<Deps>) => [
  r.post('/mcp', {
    summary: 'One message of the Model Context Protocol (Streamable HTTP)',
    description:
      'For clients of MCP, which are given this address and a session token or a key as bearer token. Each tool is a route of the gateway, and its call is checked, limited and audited as that route. Without sessions and streams: each message is answered by itself.',
    example: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    errors: ['PLUGIN_UNAVAILABLE'],
    access: 'token',
    scope: 'read',
    // It shows nothing by itself: the call of a tool is checked at the route that it is.
    isFiltered: true,
    body: T.Object({
      jsonrpc: T.Literal('2.0'),
      id: T.Optional(T.Union([T.String(), T.Number()])),
      method: T.Optional(T.String()),
      params: T.Optional(T.Unknown()),
      result: T.Optional(T.Unknown()),
      error: T.Optional(T.Unknown()),
    }),
    response: T.Unknown({ contentMediaType: 'application/json' }),
    async handle({ body, header, query, signal }, { config, settings, ownAddress, confirmations, tools }) {
      if (query.has('token')) throw gatewayError('FIELD_INVALID', ['token', 'belongs into a header'])
      const server = await createMcpServer({
        version: settings.version,
        gateway: createGateway(ownAddress.get(), credentials(header)),
        tools,
        scopes: config.scopes,
        names: config.tools,
        confirmations,
      })
      const answer = await exchange(server, body as Parameters<typeof exchange>[1], signal)
      return answer
        ? reply(JSON.stringify(answer), { 'Content-Type': 'application/json' })
        : reply('', {}, 202)
    },
  }),
]

/** Those of the client, so that its tools can do what it could do itself. */
function credentials(header: (name: string) => string): Record<string, string> {
  const names = ['authorization', 'token', 'x-session', 'traceparent']
  return Object.fromEntries(names.flatMap((name) => (header(name) ? [[name, header(name)]] : [])))
}
