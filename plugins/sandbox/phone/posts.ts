import { bytes, child, el, parseJid } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { InboxParts, Opened } from './inbox.ts'

export function isPost({ attrs }: Stanza): boolean {
  return parseJid(attrs['from'])?.server === 'newsletter'
}

/** Posts of newsletters are public: nothing to decrypt, and acknowledged instead of receipted. */
export function openPost({ wire, uplink }: InboxParts, stanza: Stanza): Opened {
  const { id = '', from = '', t = '0' } = stanza.attrs
  uplink.send(el('ack', { class: 'message', id, to: from }))
  const message = wire.proto.Message.decode(bytes(child(stanza, 'plaintext')))
  return {
    id,
    chat: from,
    from,
    fromMe: false,
    timestamp: Number(t),
    message,
    nodes: [],
    attrs: stanza.attrs,
  }
}
