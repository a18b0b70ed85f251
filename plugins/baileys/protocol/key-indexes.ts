import type { BinaryNode } from '@whiskeysockets/baileys'
import { getBinaryNodeChild, getBinaryNodeChildren, proto } from '../baileys.ts'

/**
 * Drops from a list of devices the companions that their phone does not confirm: its signed list has the valid key indexes, and the
 * highest one that it knows of (whatsapp-rust wacore/src/adv.rs). After a new installation of the phone, with another rawId, the
 * earlier companions are not among them. The signature is not verified, as by no client that was read: the list comes from the
 * network over the same link. Without a list, all stay.
 */
export function keepValidDevices(devices: BinaryNode | undefined): void {
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
