import type { ComponentChildren } from 'preact'

/** Names of the interface in a text, which it has between backticks, as code. */
export function withCode(text: string): ComponentChildren {
  return text.split('`').map((part, at) => (at % 2 === 1 ? <code key={part}>{part}</code> : part))
}
