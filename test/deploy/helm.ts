import { createHash } from 'node:crypto'

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
  return withoutElse(template).replace(ACTION, 'placeholder')
}

/** Without the lines of conditions and loops, and without what is shown where a condition is not met. */
function withoutElse(template: string): string {
  const blocks: boolean[] = []
  const shown = template.split('\n').filter((line) => {
    const [, keyword] = /^\s*\{\{-?\s*(if|range|with|else|end)\b.*\}\}\s*$/.exec(line) ?? []
    if (keyword === 'end') blocks.pop()
    else if (keyword === 'else') blocks[blocks.length - 1] = true
    else if (keyword) blocks.push(false)
    return !keyword && !blocks.includes(true)
  })
  return shown.join('\n')
}

/** Paths below `.Values` that a template uses. */
export function referencesOf(template: string): string[][] {
  return [...template.matchAll(/\.Values\.([\w.]+)/g)].map(([, path = '']) => path.split('.'))
}

/** The actions of Go templates that the chart uses: `if`, `else`, `range`, `end`, and pipelines of values and these functions. */
const FUNCTIONS: Readonly<Record<string, (...given: unknown[]) => unknown>> = {
  quote: (value) => JSON.stringify(String(value)),
  toJson: (value) => JSON.stringify(value),
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  sha256sum: (value) => createHash('sha256').update(String(value)).digest('hex'),
}

/** A template with these values, as Helm renders it. Throws for an action that it does not know, and a value that there is not. */
export function render(template: string, root: Record<string, unknown>): string {
  const parts = [...template.matchAll(/([\s\S]*?)(?:\{\{(-?)\s*([\s\S]*?)\s*(-?)\}\}|$)/g)]
  let at = 0

  /** Up to the `end` of the block, or to its `else`. */
  function block(scope: Record<string, unknown>, isShown: boolean): string {
    let out = ''
    for (; at < parts.length; at += 1) {
      const [, text = '', trimsBefore, action = ''] = parts[at] ?? []
      const before = parts[at - 1]?.[4] ? text.trimStart() : text
      out += trimsBefore ? before.replace(/\s+$/, '') : before
      if (action === '') continue
      if (action === 'end' || action === 'else') return isShown ? out : ''
      const [, keyword, rest = ''] = /^(if|range)\s+(.*)$/.exec(action) ?? []
      at += 1
      if (keyword === 'if') out += branches(rest, scope, isShown)
      else if (keyword === 'range') out += loop(rest, scope, isShown)
      else {
        at -= 1
        if (isShown) out += String(evaluate(action, scope))
      }
    }
    return isShown ? out : ''
  }

  function branches(rest: string, scope: Record<string, unknown>, isShown: boolean): string {
    const isMet = isShown && isTrue(evaluate(rest, scope))
    const out = block(scope, isMet)
    if (parts[at]?.[3] !== 'else') return out
    at += 1
    return out + block(scope, isShown && !isMet)
  }

  function loop(rest: string, scope: Record<string, unknown>, isShown: boolean): string {
    const [, key, value, source] = /^(?:(\$\w+), (\$\w+) := )?(.*)$/.exec(rest) ?? []
    const found = isShown ? Object.entries(evaluate(source ?? '', scope) ?? {}) : []
    const start = at
    let out = ''
    for (const [name, item] of found) {
      at = start
      out += block({ ...scope, '.': item, ...(key && value ? { [key]: name, [value]: item } : {}) }, true)
    }
    if (found.length === 0) {
      at = start
      block(scope, false)
    }
    return out
  }

  return block({ ...root, '.': root }, true)
}

function evaluate(pipeline: string, scope: Record<string, unknown>): unknown {
  let piped: unknown[] = []
  for (const call of pipeline.split(/\s*\|\s*/)) {
    const words = call.split(/\s+/)
    const [name = ''] = words
    const run = FUNCTIONS[name]
    if (!run && words.length > 1) throw new Error(`unknown function ${name}`)
    const given = (run ? words.slice(1) : words).map((word) => lookUp(word, scope))
    piped = [run ? run(...given, ...piped) : given[0]]
  }
  return piped[0]
}

function lookUp(word: string, scope: Record<string, unknown>): unknown {
  if (word === '.' || word.startsWith('$')) return scope[word]
  if (!word.startsWith('.')) throw new Error(`unknown word ${word}`)
  return word
    .slice(1)
    .split('.')
    .reduce<unknown>((at, key) => {
      const found = (at as Record<string, unknown> | undefined)?.[key]
      if (found === undefined) throw new Error(`there is no ${word}`)
      return found
    }, scope)
}

/** As Go templates take it: empty texts, lists and maps are false. */
function isTrue(value: unknown): boolean {
  return typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : Boolean(value)
}
