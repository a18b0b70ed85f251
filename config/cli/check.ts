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
import { linesOf, print } from './print.ts'

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
      print(...linesOf(effective(loaded, env())))
      for (const name of unused(loaded, env()))
        print(`not used: ${name} is not a setting of anything enabled`)
      for (const copy of secondCopies(loaded, ROOT)) print(`warning: ${copy}`)
      if (unchecked) print(`warning: the master key was not checked: ${unchecked}`)
      const routes = plugins.flatMap((plugin) => plugin.routes)
      print(`plugins: ${plugins.map(({ name }) => name).join(', ')}`)
      print(`ok: ${plugins.length} plugins, ${routes.length} routes`)
    })
}

/** A database that does not answer is not a configuration fault. */
function unlessDatabaseFailed(error: unknown): string {
  if (isGatewayError(error) && error.code === 'DATABASE_FAILED') return error.message
  throw error
}
