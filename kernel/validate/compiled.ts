import type { ValidateFunction } from 'ajv/dist/2020.js'

/**
 * What the build of a release compiles beforehand, because it is a tenth of a start: validators of schemas themselves, and of
 * settings by the id of their schema. In the sources the latter are added at their first use.
 */
export const compiled: { rules?: ValidateFunction; configs: Record<string, ValidateFunction> } = {
  configs: {},
}
