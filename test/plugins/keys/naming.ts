import { type Shape, sampleOf } from '../../../config/build/documents/samples.ts'

type Body = Record<string, unknown>

/** A valid body that names `value` in every field that takes an address; undefined without a body. */
export function namingOf(shape: Shape | undefined, value: string): Body | undefined {
  if (!shape?.properties) return undefined
  const body = sampleOf(shape) as Body
  for (const [name, field] of Object.entries(shape.properties)) {
    const { format, names, items } = field as Shape & { format?: string; names?: string; items?: Shape }
    const inner = items as { format?: string; names?: string } | undefined
    const address = ['group', 'newsletter'].includes(names ?? inner?.names ?? '') ? '120363999@g.us' : value
    const shown = names === 'newsletter' ? '120363999@newsletter' : address
    if (format === 'phone' || (names && names !== 'none' && names !== 'author')) body[name] = shown
    else if (inner?.format === 'phone' || inner?.names) body[name] = [shown]
  }
  return body
}
