import { child } from '../stanza.ts'
import type { Stanza } from '../types.ts'

/**
 * The code that the network refuses a business part with; it sees this part alone, the message is encrypted.
 * As measured in tulir/whatsmeow#1235: 405 for the buttons of old, 479 for an interactive part that doesn't say
 * which flow it starts. A message without this part passes, and no client shows its buttons.
 */
export function bizRefusal(message: Stanza): string | undefined {
  const biz = child(message, 'biz')
  if (child(biz, 'buttons')) return '405'
  const interactive = child(biz, 'interactive')
  return interactive && !child(interactive, 'native_flow')?.attrs['name'] ? '479' : undefined
}
