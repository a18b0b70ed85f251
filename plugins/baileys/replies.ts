import {
  type BinaryNode,
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  type WASocket,
} from '@whiskeysockets/baileys'

/**
 * Changes two replies of the network before Baileys reads them.
 *
 * Keys of many: one recipient whose keys the network no longer has fails the whole send in stock rc14, to a
 * group or a status's audience as well, as its error among the bundles is thrown (Utils/signal.js
 * parseAndInjectE2ESessions). Such users are taken out, and the others get the message.
 *
 * Devices: stock rc14 makes a new Signal session with everybody whose devices it looks up, though there is one
 * (Socket/messages-send.js getUSyncDevices, `assertSessions(lids, true)`). After each start, and later once a
 * day, each contact loses a one-time prekey; both sides keep 40 sessions with a device, so that what waited on
 * the network for as many starts can't be decrypted any more. It does so because the reply names LIDs: they are
 * stored here and taken out. A session that is missing is still made, as is a new one for who could not decrypt.
 */
export function mendReplies(wa: WASocket): void {
  const ws = wa.ws as unknown as { emit(event: string, ...args: unknown[]): boolean }
  const emit = ws.emit.bind(ws)
  ws.emit = (event, ...args) => {
    if (!event.startsWith('TAG:')) return emit(event, ...args)
    const reply = args[0] as BinaryNode
    dropMissing(reply)
    const pairs = takeLids(reply)
    if (pairs.length === 0) return emit(event, ...args)
    const stored = wa.signalRepository.lidMapping.storeLIDPNMappings(pairs)
    // Who can't be stored is asked for again later; whoever waits for the reply must hear it.
    void stored.catch(() => undefined).then(() => emit(event, ...args))
    return true
  }
}

function dropMissing(reply: BinaryNode): void {
  const list = getBinaryNodeChild(reply, 'list')
  if (!Array.isArray(list?.content)) return
  list.content = list.content.filter((user) => user.tag !== 'user' || !getBinaryNodeChild(user, 'error'))
}

/** Takes the LIDs out of what tells of users nothing but their devices: no other look-up asks for just that. */
function takeLids(reply: BinaryNode): { lid: string; pn: string }[] {
  const list = getBinaryNodeChild(getBinaryNodeChild(reply, 'usync'), 'list')
  return getBinaryNodeChildren(list, 'user').flatMap((user) => {
    const parts = getAllBinaryNodeChildren(user)
    const tags = parts.map(({ tag }) => tag).sort()
    if (tags.join() !== 'devices,lid') return []
    user.content = parts.filter(({ tag }) => tag === 'devices')
    const lid = parts.find(({ tag }) => tag === 'lid')?.attrs['val'] ?? ''
    return [{ lid, pn: user.attrs['jid'] ?? '' }]
  })
}
