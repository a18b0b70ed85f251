import { children, el } from '../stanza.ts'
import type { Stanza } from '../types.ts'

const KINDS = new Set(['receipt', 'notification', 'call'])

/** What a phone says at once to a receipt, a notification or a call; undefined for what gets no such answer. */
export function ackOf(stanza: Stanza): Stanza | undefined {
  const { tag, attrs } = stanza
  if (!KINDS.has(tag)) return undefined
  const { id, from: to, participant, type = tag === 'call' ? children(stanza)[0]?.tag : undefined } = attrs
  return el('ack', { class: tag, id, to, participant, type })
}
