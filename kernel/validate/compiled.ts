import type { ValidateFunction } from 'ajv/dist/2020.js'

/**
 * Validators that the release build precompiles, because compiling them takes a tenth of the start: for schemas themselves, and for
 * settings by schema id. When run from source, the latter are added at their first use.
 */
export const compiled: { rules?: ValidateFunction; configs: Record<string, ValidateFunction> } = {
  configs: {},
}
