import { child } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'

/**
 * The error code for an invalid `biz` node, which is all that the network can check of an encrypted message. As measured in
 * tulir/whatsmeow#1235: 405 for legacy buttons, 479 for an interactive node that does not name its flow. A message without
 * a `biz` node is accepted, but clients do not show its buttons.
 */
export function bizRefusal(message: Stanza): string | undefined {
  const biz = child(message, 'biz')
  if (child(biz, 'buttons')) return '405'
  const interactive = child(biz, 'interactive')
  return interactive && !child(interactive, 'native_flow')?.attrs['name'] ? '479' : undefined
}
