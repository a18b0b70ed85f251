import { pathToFileURL } from 'node:url'
import type { ConfirmSends, ToolScope } from '@wamux/mcp/stdio'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Environment } from '../environment.ts'
import { readConfig } from '../load.ts'
import { resolvePackage } from '../resolve.ts'
import { gatewayAddress } from './address.ts'
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
    .description('offer the routes of a running gateway as Model Context Protocol tools, over stdio')
    .requiredOption('--token <token>', 'session token or key')
    .option('--session <session>', 'id or name of the session, for a key for several sessions')
    .option('--url <url>', 'address of the gateway; by default the configured one')
    .option('--allow <scopes>', `scopes of the tools: ${SCOPES.join(', ')}`, scopesOf, ['read'])
    .option('--tool <names...>', 'offer only these tools, for example sendText', [])
    .addOption(
      new Option('--confirm-sends <when>', 'what a person must confirm: see the setting confirmSends')
        .choices(WHEN)
        .default('newChats'),
    )
    .action(async ({ url, token, session, allow, tool, confirmSends }: Options) => {
      const { config, base } = readConfig(env())
      const headers = { token, ...(session ? { 'x-session': session } : {}) }
      const { serveStdio } = await stdio(base)
      await serveStdio({
        url: url ?? gatewayAddress(config),
        headers,
        version: VERSION,
        scopes: allow,
        names: tool,
        confirmSends,
      })
    })
}

const WHEN: readonly ConfirmSends[] = ['always', 'newChats', 'never']
const SCOPES: readonly ToolScope[] = ['read', 'send', 'manage']

/** Not loaded by the other commands. */
async function stdio(base: string): Promise<typeof import('@wamux/mcp/stdio')> {
  return import(pathToFileURL(resolvePackage('mcp', '@wamux/mcp/stdio', base)).href)
}

function scopesOf(text: string): ToolScope[] {
  return text.split(',').map((name) => {
    const scope = SCOPES.find((known) => known === name.trim())
    if (!scope) throw new InvalidArgumentError(`It must be some of ${SCOPES.join(', ')}.`)
    return scope
  })
}
