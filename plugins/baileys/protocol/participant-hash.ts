import { createHash } from 'node:crypto'
import { jidDecode } from '../baileys.ts'

const HASHED_BYTES = 6

/**
 * The hash by which clients and network compare the devices of a message (`phash`): SHA-256 of their JIDs, sorted, with device 0
 * and the agent written out (`user.0:0@lid`), of which the first six bytes in Base64 (whatsmeow send.go participantListHashV2,
 * zapo message/crypto/phash.ts). Baileys' own is another one: shorter, and of the JIDs as they are (Utils/generics.js).
 *
 * @param jids of devices, in any order.
 */
export function participantHash(jids: Iterable<string>): string {
  const names = [...new Set(jids)].map((jid) => {
    const { user = '', device = 0, server = '' } = jidDecode(jid) ?? {}
    return `${user}.0:${device}@${server}`
  })
  const digest = createHash('sha256').update(names.sort().join('')).digest()
  return `2:${digest.subarray(0, HASHED_BYTES).toString('base64')}`
}
