import type { BinaryNode } from '@whiskeysockets/baileys'
import { getAllBinaryNodeChildren, getBinaryNodeChild } from '../../baileys.ts'
import { HOSTED_DEVICE } from './hosted-jid.ts'

/**
 * Marks the hosted devices in a list of devices, and puts them last. Baileys knows them by the attribute alone, fails on a device 99
 * without it, and takes all devices that follow a hosted one for hosted, too, which then get nothing (Utils/signal.js extractDeviceJids).
 */
export function putHostedLast(devices: BinaryNode | undefined): void {
  const list = getBinaryNodeChild(devices, 'device-list')
  if (!list) return
  // Baileys remembers children by tag, also those that were removed since.
  const all = getAllBinaryNodeChildren(list)
  const hosted = all.filter(isHosted)
  const marked = hosted.map((device) => ({ ...device, attrs: { ...device.attrs, is_hosted: 'true' } }))
  list.content = [...all.filter((device) => !hosted.includes(device)), ...marked]
}

/** By the number, too (zapo signal/api/SignalDeviceSyncApi.ts); booleans have two forms (whatsapp-rust src/message/tests.rs). */
function isHosted({ attrs: { id, is_hosted = '' } }: BinaryNode): boolean {
  return Number(id) === HOSTED_DEVICE || is_hosted === 'true' || is_hosted === '1'
}
