import type { Arguments } from './gateway.ts'
import type { Tool } from './tools.ts'

/** Characters of a value that are shown to the person. */
const MAX_VALUE = 500

/**
 * The question to a person before a call. Values are quoted as JSON: a text that the model took from somebody else must not
 * look like a line of the question.
 */
export function questionOf(
  { title, takes }: Pick<Tool, 'title' | 'takes'>,
  args: Arguments,
  why: string,
): string {
  // Arguments that the tool does not know come last.
  const sorted = Object.entries(args).sort(([a], [b]) => Number(takes(b)) - Number(takes(a)))
  const lines = sorted.map(([name, value]) => `${shortened(name)}: ${shortened(JSON.stringify(value))}`)
  return [`${title}?`, `Asked because: ${why}.`, ...lines].join('\n')
}

function shortened(text: string): string {
  return text.length > MAX_VALUE
    ? `${text.slice(0, MAX_VALUE)}… (${text.length - MAX_VALUE} characters more)`
    : text
}
