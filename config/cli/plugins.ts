import type { Command } from 'commander'
import type { Environment } from '../environment.ts'
import { loadConfig } from '../load.ts'
import { describePlugins } from './describe-plugins.ts'

export function addPlugins(program: Command, env: () => Environment): void {
  program
    .command('plugins')
    .description('list the enabled plugins and their routes')
    .action(async () => {
      for (const { name, version, routes } of describePlugins(await loadConfig(env()))) {
        process.stdout.write(`${name} ${version}\n`)
        for (const { method, path, spec } of routes)
          process.stdout.write(`  ${method} ${path}  ${spec.summary}\n`)
      }
    })
}
