import type { BinaryNode } from '@whiskeysockets/baileys'
import { getAllBinaryNodeChildren, getBinaryNodeChild, getBinaryNodeChildren, proto } from '../baileys.ts'
import { putHostedLast } from '../protocol/business/hosted-list.ts'
import type { Receive, Stage } from './stage.ts'

/**
 * Changes two replies of the network before Baileys reads them. Lists of devices also lose the companions that are not valid, and have
 * hosted devices last.
 *
 * Key bundles: in unpatched Baileys one recipient whose keys the network no longer has makes the whole send fail, even to a
 * group or the audience of a status, because its error among the bundles is thrown (Utils/signal.js
 * parseAndInjectE2ESessions). Such users are removed, and the others get the message.
 *
 * Devices: unpatched Baileys makes a new Signal session with every user whose devices it looks up, even if one exists
 * (Socket/messages-send.js getUSyncDevices, `assertSessions(lids, true)`). After each start, and then once a day, each
 * contact would lose a one-time prekey; and as both sides keep only 40 sessions with a device, messages that waited on the
 * network for that many starts could no longer be decrypted. Baileys does so if the reply has LIDs: they are stored here
 * and removed. Missing sessions are still made, and so are new ones for devices that could not decrypt.
 */
export function repairReplies(storeLids: (pairs: Pair[]) => Promise<void>): Stage<Receive> {
  return (next) =>
    (event, ...args) => {
      if (!event.startsWith('TAG:')) return next(event, ...args)
      const reply = args[0] as BinaryNode
      dropMissing(reply)
      for (const user of usersOf(reply)) {
        const devices = getBinaryNodeChild(user, 'devices')
        keepValidDevices(devices)
        putHostedLast(devices)
      }
      const pairs = extractLids(reply)
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

function usersOf(reply: BinaryNode): BinaryNode[] {
  return getBinaryNodeChildren(getBinaryNodeChild(getBinaryNodeChild(reply, 'usync'), 'list'), 'user')
}

/** Removes the LIDs from a reply that has only LIDs and devices: no other look-up requests exactly these two. */
function extractLids(reply: BinaryNode): Pair[] {
  return usersOf(reply).flatMap((user) => {
    const parts = getAllBinaryNodeChildren(user)
    const tags = parts.map(({ tag }) => tag).sort()
    if (tags.join() !== 'devices,lid') return []
    user.content = parts.filter(({ tag }) => tag === 'devices')
    const lid = parts.find(({ tag }) => tag === 'lid')?.attrs['val'] ?? ''
    return [{ lid, pn: user.attrs['jid'] ?? '' }]
  })
}

/**
 * Drops from a list of devices the companions that their phone does not confirm: its signed list has the valid key indexes, and the
 * highest one that it knows of (whatsapp-rust wacore/src/adv.rs). After a new installation of the phone, with another rawId, the
 * earlier companions are not among them. The signature is not verified, as by no client that was read: the list comes from the
 * network over the same link. Without a list, all stay.
 */
function keepValidDevices(devices: BinaryNode | undefined): void {
  const list = getBinaryNodeChild(devices, 'device-list')
  const indexes = indexesOf(getBinaryNodeChild(devices, 'key-index-list')?.content)
  if (!list || !indexes) return
  const { validIndexes, currentIndex } = indexes
  const isValid = (index: number): boolean => validIndexes.includes(index) || index > (currentIndex ?? 0)
  list.content = getBinaryNodeChildren(list, 'device').filter(
    ({ attrs }) => attrs['id'] === '0' || isValid(Number(attrs['key-index'])),
  )
}

function indexesOf(signed: BinaryNode['content']): proto.ADVKeyIndexList | undefined {
  if (!(signed instanceof Uint8Array) || signed.length === 0) return undefined
  try {
    const { details } = proto.ADVSignedKeyIndexList.decode(signed)
    return details?.length ? proto.ADVKeyIndexList.decode(details) : undefined
  } catch {
    return undefined
  }
}
