import { type Command, InvalidArgumentError, Option } from 'commander'
import { type ConfirmSends, WHEN } from '../../plugins/mcp/sends.ts'
import type { ToolScope } from '../../plugins/mcp/tools.ts'
import type { Environment } from '../environment.ts'
import { readConfig } from '../load.ts'
import { VERSION } from './package.ts'

interface Options {
  url?: string
  token: string
  session?: string
  allow: ToolScope[]
  tool: string[]
  confirmSends: ConfirmSends
}

export function addMcp(program: Command, env: () => Environment): void {
  program
    .command('mcp')
    .description('offer the routes of a running gateway as tools of the Model Context Protocol, over stdio')
    .requiredOption('--token <token>', 'session token or key')
    .option('--session <session>', 'id or name of the session, for a key that is for several')
    .option('--url <url>', 'address of the gateway; by default that of the configuration')
    .option('--allow <scopes>', `what tools may do: ${SCOPES.join(', ')}`, scopesOf, ['read'])
    .option('--tool <names...>', 'offer only these tools, such as sendText', [])
    .addOption(
      new Option('--confirm-sends <when>', 'which sends a person confirms').choices(WHEN).default('newChats'),
    )
    .action(async ({ url, token, session, allow, tool, confirmSends }: Options) => {
      // Not loaded by the other commands.
      const [{ createConfirmations }, { createGateway }, { createMcpServer }, { readTools }] =
        await Promise.all([
          import('../../plugins/mcp/confirmation.ts'),
          import('../../plugins/mcp/gateway.ts'),
          import('../../plugins/mcp/mcp-server.ts'),
          import('../../plugins/mcp/tool-list.ts'),
        ])
      const { config } = readConfig(env())
      const own = `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${config.port}`
      const headers = { token, ...(session ? { 'x-session': session } : {}) }
      const base = url ?? own
      const server = await createMcpServer({
        version: VERSION,
        gateway: createGateway(base, headers),
        tools: () => readTools(base),
        scopes: allow,
        names: tool,
        confirmSends,
        confirmations: createConfirmations(),
      })
      const { StdioServerTransport } = await import('@modelcontextprotocol/sdk/server/stdio.js')
      await server.connect(new StdioServerTransport())
    })
}

const SCOPES: readonly ToolScope[] = ['read', 'send', 'manage']

function scopesOf(text: string): ToolScope[] {
  return text.split(',').map((name) => {
    const scope = SCOPES.find((known) => known === name.trim())
    if (!scope) throw new InvalidArgumentError(`It must be some of ${SCOPES.join(', ')}.`)
    return scope
  })
}
