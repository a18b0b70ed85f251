import type { BinaryNode } from '@whiskeysockets/baileys'
import {
  getAllBinaryNodeChildren,
  getBinaryNodeChild,
  getBinaryNodeChildren,
  jidNormalizedUser,
} from '../../baileys.ts'
import type { Me } from '../signals.ts'
import { deviceJid, HOSTED_DEVICE, isHostedDevice } from './hosted-jid.ts'

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

/**
 * The JID of the account's own hosted device, if a notification lists the account's devices without it. A later one has the same
 * number, as no other device has, but other keys: the sessions of the former one have to end. Baileys does so with the devices of
 * others alone (Socket/messages-recv.js handleDevicesNotification).
 */
export function endedHostedDevice({ attrs, content }: BinaryNode, { id, lid }: Me): string | undefined {
  if (attrs['type'] !== 'account_sync' || !Array.isArray(content)) return undefined
  const devices = content.find(({ tag }) => tag === 'devices')
  const listed = getBinaryNodeChildren(devices, 'device')
  if (listed.length === 0 || listed.some((device) => isHostedDevice(device.attrs['jid'] ?? '')))
    return undefined
  return deviceJid(jidNormalizedUser(lid || id), HOSTED_DEVICE)
}

/** By the number, too (zapo signal/api/SignalDeviceSyncApi.ts); booleans have two forms (whatsapp-rust src/message/tests.rs). */
function isHosted({ attrs: { id, is_hosted = '' } }: BinaryNode): boolean {
  return Number(id) === HOSTED_DEVICE || is_hosted === 'true' || is_hosted === '1'
}
