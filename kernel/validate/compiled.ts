import type { ValidateFunction } from 'ajv/dist/2020.js'

/**
 * What the build of a release compiles beforehand, because it is a tenth of a start: validators of schemas themselves, and of
 * settings by the id of their schema. Nothing in the sources.
 */
export const compiled: { rules?: ValidateFunction; configs: Record<string, ValidateFunction> } = {
  configs: {},
}
