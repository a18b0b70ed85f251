import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'

/**
 * One recipient whose keys the network no longer has fails a whole send in stock rc14, to a group or a status's
 * audience as well: its error among the bundles is thrown (Utils/signal.js parseAndInjectE2ESessions). Here such
 * users are taken out of the reply before Baileys reads it, and the others get the message.
 */
export function skipMissingBundles(wa: WASocket): void {
  wa.ws.on('frame', (frame: BinaryNode) => {
    if (frame.tag !== 'iq' || !Array.isArray(frame.content)) return
    const list = frame.content.find(({ tag }) => tag === 'list')
    if (!Array.isArray(list?.content)) return
    list.content = list.content.filter((user) => user.tag !== 'user' || !hasError(user))
  })
}

function hasError({ content }: BinaryNode): boolean {
  return Array.isArray(content) && content.some(({ tag }) => tag === 'error')
}
