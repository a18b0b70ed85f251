/** Fields of a message in Graph's form. */
export type CloudContent = Record<string, unknown>

/** `type`, and the field of that name. */
export const typed = (type: string, part: unknown): CloudContent => ({ type, [type]: part })

export function blankless(fields: Record<string, unknown>): CloudContent {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
