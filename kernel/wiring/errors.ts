import { type GatewayError, gatewayError, isReserved } from '../errors.ts'
import type { ErrorHelp, ErrorRow } from '../types/errors.ts'
import type { Plugin } from '../types/plugin.ts'

/** The errors that plugins declare, in one table; reports codes declared twice and invalid rows. */
export function mergeErrors(plugins: readonly Plugin[]): {
  rows: Record<string, ErrorRow>
  faults: GatewayError[]
} {
  const rows: Record<string, ErrorRow> = {}
  const owners = new Map<string, string>()
  const faults: GatewayError[] = []
  for (const { spec } of plugins) {
    for (const [code, row] of Object.entries(spec.errors ?? {})) {
      const owner = isReserved(code) ? 'kernel' : owners.get(code)
      const invalid = faultOf(code, row)
      if (owner) faults.push(gatewayError('PLUGIN_ERROR_TAKEN', [code, owner, spec.name]))
      else if (invalid) faults.push(gatewayError('PLUGIN_ERROR_INVALID', [spec.name, code, invalid]))
      owners.set(code, owner ?? spec.name)
      rows[code] = row as ErrorRow
    }
  }
  return { rows, faults }
}

function faultOf(code: string, row: unknown): string | undefined {
  if (!/^[A-Z][A-Z0-9_]*$/.test(code)) return 'its code must be upper-case letters, digits and underscores'
  const [status, text, help] = Array.isArray(row) ? row : []
  if (!Number.isInteger(status) || status < 400 || status > 599) return 'its status must be from 400 to 599'
  if (typeof text !== 'string' || !text) return 'it has no text'
  const isHelp = HELP.every((part) => typeof help?.[part] === 'string')
  return help === undefined || isHelp ? undefined : `its help must have ${HELP.join(', ')}`
}

const HELP = ['meaning', 'cause', 'remedy'] as const satisfies readonly (keyof ErrorHelp)[]
