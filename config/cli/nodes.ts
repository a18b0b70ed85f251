import type { Command } from 'commander'
import { adminTokenOf } from '../admin-token.ts'
import type { Environment } from '../environment.ts'
import { commandFailed, reasonOf } from '../errors.ts'
import { readConfig } from '../load.ts'
import { gatewayAddress } from './address.ts'
import { print } from './print.ts'

/** A row of `GET /server/nodes`. */
type NodeRow = Readonly<Record<'Id' | 'Name' | 'State' | 'Url' | 'Version' | 'Heartbeat', string>> & {
  readonly Sessions: number
}

export function addNodes(program: Command, env: () => Environment): void {
  program
    .command('nodes')
    .description('list the nodes that share the database, as known to a running gateway')
    .option('--url <url>', 'address of any node; by default the configured one')
    .option('--drain <node>', 'make this node (id or name) hand its sessions to the others')
    .option('--resume <node>', 'let a drained node take sessions again')
    .action(async (options: { url?: string; drain?: string; resume?: string }) => {
      const { config } = readConfig(env())
      const base = options.url ?? gatewayAddress(config)
      const call = caller(base, adminTokenOf(config).token)
      const node = options.drain ?? options.resume
      if (node)
        await call('POST', `/server/nodes/${encodeURIComponent(node)}/drain`, { Drain: !options.resume })
      print(...tableOf((await call('GET', '/server/nodes')) as NodeRow[]))
    })
}

function caller(base: string, token: string) {
  return async (method: string, path: string, body?: object): Promise<unknown> => {
    const answer = await fetch(new URL(path, base), {
      method,
      headers: { admintoken: token, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((cause: unknown) => {
      throw commandFailed(`no gateway answers at ${base}: ${reasonOf(cause)}`, cause)
    })
    const { data, error } = (await answer.json()) as { data?: unknown; error?: string }
    if (answer.status === 404 && method === 'GET')
      throw commandFailed(`${base} runs without the plugin "cluster"`)
    if (!answer.ok) throw commandFailed(`${base} answered ${answer.status}: ${error ?? ''}`)
    return data
  }
}

function tableOf(nodes: readonly NodeRow[]): string[] {
  const columns = ['Name', 'State', 'Sessions', 'Version', 'Url', 'Heartbeat', 'Id'] as const
  const rows = [columns.map(String), ...nodes.map((node) => columns.map((column) => String(node[column])))]
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => row[index]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')
  return rows.map((row) => line(row).trimEnd())
}
