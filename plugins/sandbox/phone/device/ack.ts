import { children, el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'

const ACKNOWLEDGED = new Set(['receipt', 'notification', 'call'])

/** The ack for a receipt, notification or call; undefined for other stanzas. */
export function ackOf(stanza: Stanza): Stanza | undefined {
  const { tag, attrs } = stanza
  if (!ACKNOWLEDGED.has(tag)) return undefined
  const { id, from: to, participant, type = tag === 'call' ? children(stanza)[0]?.tag : undefined } = attrs
  return el('ack', { class: tag, id, to, participant, type })
}
