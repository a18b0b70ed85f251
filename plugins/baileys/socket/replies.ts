import type { BinaryNode } from '@whiskeysockets/baileys'
import { getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren } from '../baileys.ts'
import type { Receive, Stage } from './stage.ts'

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
export function repairReplies(storeLids: (pairs: Pair[]) => Promise<void>): Stage<Receive> {
  return (next) =>
    (event, ...args) => {
      if (!event.startsWith('TAG:')) return next(event, ...args)
      const reply = args[0] as BinaryNode
      dropMissing(reply)
      const pairs = takeLids(reply)
      if (pairs.length === 0) return next(event, ...args)
      void storeLids(pairs).then(() => next(event, ...args))
      return true
    }
}

interface Pair {
  lid: string
  pn: string
}

function dropMissing(reply: BinaryNode): void {
  const list = getBinaryNodeChild(reply, 'list')
  if (!Array.isArray(list?.content)) return
  list.content = list.content.filter((user) => user.tag !== 'user' || !getBinaryNodeChild(user, 'error'))
}

/** Takes the LIDs out of what tells of users nothing but their devices: no other look-up asks for just that. */
function takeLids(reply: BinaryNode): Pair[] {
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
