import type { TSchema } from 'typebox'

/** Refuses unknown fields wherever the schema says nothing else: a typo must not pass as "field absent". */
export function close(schema: TSchema): TSchema {
  if (Array.isArray(schema)) return schema.map(close) as unknown as TSchema
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(schema)) {
    copy[key] =
      key === 'default' || key === 'examples' || key === 'enum' || key === 'const'
        ? value
        : close(value as TSchema)
  }
  if (copy['type'] === 'object' && 'properties' in copy && !('additionalProperties' in copy)) {
    copy['additionalProperties'] = false
  }
  return copy as TSchema
}
