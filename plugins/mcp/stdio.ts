import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { createGateway } from './gateway.ts'
import { createMcpServer } from './mcp-server.ts'
import type { ConfirmSends } from './sends.ts'
import { readTools } from './tool-list.ts'
import type { ToolScope } from './tools.ts'

export type { ConfirmSends } from './sends.ts'
export type { ToolScope } from './tools.ts'

export interface StdioOptions {
  /** Address of the gateway. */
  readonly url: string
  /** Credentials of every call. */
  readonly headers: Readonly<Record<string, string>>
  readonly version: string
  readonly scopes: readonly ToolScope[]
  /** Names of the tools to offer; empty for all. */
  readonly names: readonly string[]
  readonly confirmSends: ConfirmSends
}

/** Offers the routes of a running gateway as tools over standard input and output, for `wamux mcp`. */
export async function serveStdio({ url, headers, ...options }: StdioOptions): Promise<void> {
  const server = await createMcpServer({
    ...options,
    gateway: createGateway(url, headers),
    tools: () => readTools(url),
  })
  await server.connect(new StdioServerTransport())
}
