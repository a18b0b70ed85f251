const ACTION = /\{\{-?\s*(.*?)\s*-?\}\}/g

/**
 * A template with every condition taken as true and every value a placeholder. Throws when conditions and loops are
 * not closed.
 */
export function plain(template: string): string {
  let depth = 0
  for (const [, action = ''] of template.matchAll(ACTION)) {
    if (/^(if|range|with)\b/.test(action)) depth += 1
    if (action === 'end') depth -= 1
    if (depth < 0) throw new Error('an end too many')
  }
  if (depth !== 0) throw new Error(`${depth} not ended`)
  return template
    .replace(/^\s*\{\{-?\s*(if|range|with|else|end)\b.*\}\}\s*$/gm, '')
    .replace(ACTION, 'placeholder')
}

/** Paths below `.Values` that a template uses. */
export function referencesOf(template: string): string[][] {
  return [...template.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path.split('.'))
}
