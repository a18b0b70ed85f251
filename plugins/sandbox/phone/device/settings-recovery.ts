import { gzipSync } from 'node:zlib'
import type { GatewayServices } from 'wamux/plugin'
import type { Slot } from '../../snapshots.ts'
import { fieldOf } from '../messages/protobuf-fields.ts'

type Wire = GatewayServices['wire']

/** A setting as the phone keeps it: decrypted, with the key and the MAC of its encrypted form. */
interface KeptRecord {
  readonly data: Uint8Array
  readonly keyId: Uint8Array
  readonly mac: Uint8Array
}

/** The records of all collections, with which a phone can restore a companion's copy. */
export interface SettingsRecords {
  /** `data` is a `SyncActionData`; undefined if the setting is removed. */
  keep(collection: string, index: string, record: KeptRecord | undefined): void
  /**
   * Answers a companion's request for a collection that it can't read: with a `SyncdSnapshotRecovery` (whatsmeow
   * appstate/recovery.go), whose fields are version 1, name 2, records 3 with value 1, key id 2 and MAC 3, LTHash 4. WAProto has
   * no class of it.
   */
  answer(name: string, stanzaId: string, state: CollectionState): Record<string, unknown>
}

interface CollectionState {
  readonly version: number
  readonly hash: Uint8Array
}

export function createSettingsRecords(wire: Wire, slot: Slot): SettingsRecords {
  const collections = slot('settings records', () => new Map<string, Map<string, KeptRecord>>())
  const { PeerDataOperationRequestType, ProtocolMessage } = wire.proto.Message

  function recoveryOf(name: string, { version, hash }: CollectionState): Buffer {
    const records = [...(collections.get(name)?.values() ?? [])]
    return Buffer.concat([
      fieldOf(1, wire.proto.SyncdVersion.encode({ version }).finish()),
      fieldOf(2, Buffer.from(name)),
      ...records.map(({ data, keyId, mac }) =>
        fieldOf(3, Buffer.concat([fieldOf(1, data), fieldOf(2, keyId), fieldOf(3, mac)])),
      ),
      fieldOf(4, hash),
    ])
  }

  return {
    keep(collection, index, record) {
      const records = collections.get(collection) ?? new Map<string, KeptRecord>()
      collections.set(collection, records)
      if (record) records.set(index, record)
      else records.delete(index)
    },
    answer(name, stanzaId, state) {
      const collectionSnapshot = gzipSync(recoveryOf(name, state))
      return {
        protocolMessage: {
          type: ProtocolMessage.Type.PEER_DATA_OPERATION_REQUEST_RESPONSE_MESSAGE,
          peerDataOperationRequestResponseMessage: {
            peerDataOperationRequestType:
              PeerDataOperationRequestType.COMPANION_SYNCD_SNAPSHOT_FATAL_RECOVERY,
            stanzaId,
            peerDataOperationResult: [
              { syncdSnapshotFatalRecoveryResponse: { collectionSnapshot, isCompressed: true } },
            ],
          },
        },
      }
    },
  }
}
