import { reasonOf } from '../../../kernel/errors.ts'
import { unused } from '../../effective.ts'
import type { Environment } from '../../environment.ts'
import type { Loaded } from '../../load.ts'
import { secondCopies } from '../../second-copies.ts'
import { describePlugins } from '../describe-plugins.ts'
import { ROOT, VERSION } from '../package.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

export function configuration(loaded: Loaded, env: Environment): Finding[] {
  const file = env['WAMUX_CONFIG']
  const found = file
    ? `file ${file} and the environment`
    : 'the environment; no file is named by WAMUX_CONFIG'
  const idle = unused(loaded, env)
  if (idle.length === 0) return [ok('configuration', found)]
  const advice = 'correct their names, or remove them'
  return [warn('configuration', `not a setting of anything enabled: ${idle.join(', ')}`, advice)]
}

export function plugins(loaded: Loaded): Finding {
  try {
    const described = describePlugins(loaded)
    const copies = secondCopies(loaded, ROOT)
    if (copies.length > 0) return warn('plugins', copies.join('; '), 'install wamux once, as their peer')
    const others = described.filter(({ version }) => version !== VERSION)
    const names = others.map(({ name, version }) => `${name} ${version}`)
    const more = names.length > 0 ? `, of other versions: ${names.join(', ')}` : ''
    return ok('plugins', `wamux ${VERSION}, ${described.length} plugins${more}`)
  } catch (error) {
    return fail('plugins', reasonOf(error), 'correct all of these; the gateway does not start before')
  }
}
