import type { Command } from 'commander'
import { isGatewayError } from '../../kernel/errors.ts'
import { openKeyring } from '../../kernel/vault/keyring.ts'
import { effective, unused } from '../effective.ts'
import type { Environment } from '../environment.ts'
import { checkMasterKeys } from '../key-check.ts'
import { loadConfig } from '../load.ts'
import { knownKeysOf } from '../master-keys.ts'
import { secondCopies } from '../second-copies.ts'
import { describePlugins } from './describe-plugins.ts'
import { ROOT } from './package.ts'

export function addCheck(program: Command, env: () => Environment): void {
  program
    .command('check')
    .description('check configuration and plugins without starting or changing anything')
    .action(async () => {
      const loaded = await loadConfig(env())
      const plugins = describePlugins(loaded)
      const keys = knownKeysOf(loaded.config)
      if (keys !== undefined) openKeyring(keys)
      const unchecked = await checkMasterKeys(loaded.config, keys).catch(unlessDatabaseFailed)
      process.stdout.write(effective(loaded, env()))
      for (const name of unused(loaded, env()))
        process.stdout.write(`not used: ${name} is not a setting of anything enabled\n`)
      for (const copy of secondCopies(loaded, ROOT)) process.stdout.write(`warning: ${copy}\n`)
      if (unchecked) process.stdout.write(`warning: the master key was not checked: ${unchecked}\n`)
      const routes = plugins.flatMap((plugin) => plugin.routes)
      process.stdout.write(`plugins: ${plugins.map(({ name }) => name).join(', ')}\n`)
      process.stdout.write(`ok: ${plugins.length} plugins, ${routes.length} routes\n`)
    })
}

/** A database that does not answer is not a configuration fault. */
function unlessDatabaseFailed(error: unknown): string {
  if (isGatewayError(error) && error.code === 'DATABASE_FAILED') return error.message
  throw error
}
