import type { ValidateFunction } from 'ajv/dist/2020.js'

/**
 * Validators that the release build precompiles, because they take a tenth of the start: those of schemas themselves, and of
 * settings by schema id. When run from source, the latter are added at their first use.
 */
export const compiled: { rules?: ValidateFunction; configs: Record<string, ValidateFunction> } = {
  configs: {},
}
