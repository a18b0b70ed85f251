import { readFileSync } from 'node:fs'
import { gatewayError, reasonOf } from '../kernel/errors.ts'

export type Environment = Readonly<Record<string, string | undefined>>

/** A variable, or the content of the file that its `_FILE` twin names; an empty one counts as absent. */
export function readVariable(env: Environment, variable: string): string | undefined {
  const file = env[`${variable}_FILE`]
  if (!file) return env[variable] || undefined
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (cause) {
    throw gatewayError('CONFIG_INVALID', [`${variable}_FILE: ${reasonOf(cause)}`], { cause })
  }
}
