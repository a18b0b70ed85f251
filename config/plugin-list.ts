import { gatewayError } from '../kernel/errors.ts'
import { CARDS } from './builtin.ts'
import { PROFILES } from './profiles.ts'
import { isObject } from './references.ts'

/**
 * The entries of `plugins`, overridden by WAMUX_PLUGINS: `labels,-webhook,@acme/crm` switches on, or with a minus off. A
 * plugin switched on keeps its settings from the file. Throws CONFIG_INVALID.
 */
export function withPluginList(entries: unknown, text: string): Record<string, unknown> {
  const known: Record<string, unknown> = isObject(entries) ? entries : {}
  const merged = { ...known }
  const seen = new Set<string>()
  for (const item of text.split(',').map((one) => one.trim())) {
    if (!item) continue
    const isOff = item.startsWith('-')
    const name = item.replace(/^[+-]\s*/, '')
    if (!name) throw invalid(`"${item}" has no name`)
    if (name in PROFILES) throw invalid(`"${name}" is a profile; set it with WAMUX_PROFILE`)
    if (seen.has(name)) throw invalid(`"${name}" stands in it twice`)
    seen.add(name)
    if (isOff && !(name in CARDS) && !(name in known))
      throw invalid(
        `there is no plugin "${name}" to switch off; the built-in ones are ${Object.keys(CARDS).join(', ')}`,
      )
    merged[name] = isOff ? false : known[name] || true
  }
  return merged
}

function invalid(words: string): Error {
  return gatewayError('CONFIG_INVALID', [`WAMUX_PLUGINS: ${words}`])
}
