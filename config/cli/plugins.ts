import type { Command } from 'commander'
import type { Description } from '../../kernel/types/plugin.ts'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { describePlugins } from './describe-plugins.ts'
import { print } from './print.ts'

export function addPlugins(program: Command, env: () => Environment): void {
  program
    .command('plugins')
    .description('list the enabled plugins, the services they replace or wrap, and their routes')
    .action(async () => {
      for (const plugin of describePlugins(await loadConfig(env()))) {
        const { name, version, routes } = plugin
        print(`${name} ${version}${wiringOf(plugin)}`)
        for (const { method, path, spec } of routes) print(`  ${method} ${path}  ${spec.summary}`)
      }
    })
}

function wiringOf({ overrides, decorates, contributes }: Description['plugins'][number]): string {
  const parts = { overrides, decorates, 'contributes to': contributes }
  return Object.entries(parts)
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `, ${what} ${names.join(', ')}`)
    .join('')
}
