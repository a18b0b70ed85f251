import type { GatewayServices } from 'wamux/plugin'
import { sealMedia } from '../../phone/messages/media.ts'
import type { NetworkState } from '../state.ts'

type Proto = GatewayServices['wire']['proto']
type Patch = ReturnType<Proto['SyncdPatch']['decode']>
type SyncdRecord = NonNullable<NonNullable<Patch['mutations'][number]['record']>>

/**
 * A collection as one file: the newest record of each setting, and the MAC of the last patch. The server needs no key for it,
 * since the index of each record is a MAC. Returns the reference to the file, as clients get it.
 */
export function snapshotOf(
  { wire, media }: NetworkState,
  patches: readonly Buffer[],
  isSpoilt: boolean,
): Buffer {
  const { SyncdPatch, SyncdSnapshot, SyncdMutation, ExternalBlobReference } = wire.proto
  const records = new Map<string, SyncdRecord>()
  let last: Patch | undefined
  for (const patch of patches) {
    last = SyncdPatch.decode(patch)
    for (const { operation, record } of last.mutations) {
      const index = Buffer.from(record?.index?.blob ?? []).toString('base64')
      // Deleted first: the newest record is the last one.
      records.delete(index)
      if (record && operation !== SyncdMutation.SyncdOperation.REMOVE) records.set(index, record)
    }
  }
  const list = [...records.values()]
  if (isSpoilt) spoilRecord(list.at(-1))
  const snapshot = {
    version: { version: patches.length },
    records: list,
    mac: last?.snapshotMac,
    keyId: last?.keyId,
  }
  const plain = Buffer.from(SyncdSnapshot.encode(SyncdSnapshot.fromObject(snapshot)).finish())
  const { folder, data, fields } = sealMedia(wire, 'app-state', plain)
  const { mediaKey, fileSha256, fileEncSha256, fileLength: fileSizeBytes } = fields
  const { directPath } = media.store(folder, data)
  const reference = { mediaKey, fileSha256, fileEncSha256, fileSizeBytes, directPath }
  return Buffer.from(ExternalBlobReference.encode(ExternalBlobReference.fromObject(reference)).finish())
}

/** The patch with a record that can't be decrypted. */
export function spoilt({ wire }: NetworkState, patch: Buffer): Buffer {
  const { SyncdPatch } = wire.proto
  const decoded = SyncdPatch.decode(patch)
  spoilRecord(decoded.mutations.at(-1)?.record)
  return Buffer.from(SyncdPatch.encode(decoded).finish())
}

/** Bytes of the MAC after the ciphertext, and of a block. */
const [MAC, BLOCK] = [32, 16]

/** Alters the length of the padding, which the byte before the last block decides. */
function spoilRecord(record: SyncdRecord | null | undefined): void {
  if (!record?.value?.blob) return
  const blob = Buffer.from(record.value.blob)
  const at = blob.length - MAC - BLOCK - 1
  blob.writeUInt8(blob.readUInt8(at) ^ 0x80, at)
  record.value.blob = blob
}
