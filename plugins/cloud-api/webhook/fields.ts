/** Fields of a message in Graph's form. */
export type Content = Record<string, unknown>

/** `type`, and the field of that name. */
export const typed = (type: string, part: unknown): Content => ({ type, [type]: part })

export function blankless(fields: Record<string, unknown>): Content {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''))
}
