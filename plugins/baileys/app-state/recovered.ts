import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { proto, toNumber, unpadRandomMax16 } from '../baileys.ts'
import { fieldsOf } from '../protocol/group-history.ts'
import type { Received } from '../protocol/received.ts'
import { envelopeOf, isPeer, type Me } from '../protocol/signals.ts'

/** The phone's answer to a request for a collection of settings. */
export interface RecoveryAnswer {
  /** Id of the message with the request. */
  readonly request: string
  readonly snapshot: Uint8Array
  readonly isCompressed: boolean
}

/** A collection as the phone has it. Unlike in a snapshot of the network, the settings are not encrypted. */
export interface RecoveredCollection {
  readonly name: string
  readonly version: number
  readonly hash: Uint8Array
  readonly records: readonly RecoveredRecord[]
}

export interface RecoveredRecord {
  /** The index as the bytes of its JSON. */
  readonly index: Uint8Array
  readonly value: proto.ISyncActionValue
  readonly keyId: Uint8Array
  /** The MAC of the encrypted value. */
  readonly mac: Uint8Array
}

const { COMPANION_SYNCD_SNAPSHOT_FATAL_RECOVERY } = proto.Message.PeerDataOperationRequestType
const MAX_BYTES = 64 * 1024 * 1024
const LTHASH_BYTES = 128
const NAME = 'the collection restored by the phone'

/** The answer in a decrypted stanza of an own device; undefined for any other. */
export function recoveryIn({ stanza, plain }: Received, me: Me): RecoveryAnswer | undefined {
  if (!isPeer(stanza) || !envelopeOf(stanza, me).key.fromMe) return undefined
  const { protocolMessage } = proto.Message.decode(unpadRandomMax16(plain))
  const response = protocolMessage?.peerDataOperationRequestResponseMessage
  if (response?.peerDataOperationRequestType !== COMPANION_SYNCD_SNAPSHOT_FATAL_RECOVERY) return undefined
  const { collectionSnapshot, isCompressed } =
    response.peerDataOperationResult?.[0]?.syncdSnapshotFatalRecoveryResponse ?? {}
  return {
    request: response.stanzaId ?? '',
    snapshot: collectionSnapshot ?? new Uint8Array(),
    isCompressed: isCompressed === true,
  }
}

/**
 * Reads a `SyncdSnapshotRecovery` (whatsmeow appstate/recovery.go), which WAProto lacks: version 1, name 2, records 3, LTHash 4; a
 * record has a `SyncActionData` 1, key id 2 and MAC 3. Throws if a part is missing.
 */
export async function collectionIn({ snapshot, isCompressed }: RecoveryAnswer): Promise<RecoveredCollection> {
  const plain = isCompressed ? await promisify(gunzip)(snapshot, { maxOutputLength: MAX_BYTES }) : snapshot
  const collection = { name: '', version: 0, hash: new Uint8Array() }
  const records: RecoveredRecord[] = []
  for (const { number, content } of fieldsOf(plain, NAME)) {
    if (number === 1) collection.version = toNumber(proto.SyncdVersion.decode(content).version ?? 0)
    if (number === 2) collection.name = Buffer.from(content).toString()
    if (number === 3) records.push(recordIn(content))
    if (number === 4) collection.hash = Buffer.from(content)
  }
  if (!collection.version || collection.hash.length !== LTHASH_BYTES) throw new Error(`${NAME} is incomplete`)
  return { ...collection, records }
}

function recordIn(bytes: Uint8Array): RecoveredRecord {
  const fields = new Map([...fieldsOf(bytes, NAME)].map(({ number, content }) => [number, content]))
  const { index, value } = proto.SyncActionData.decode(fields.get(1) ?? new Uint8Array())
  const [keyId, mac] = [fields.get(2), fields.get(3)]
  if (!index?.length || !value || !keyId || !mac) throw new Error(`${NAME} has an incomplete setting`)
  return { index, value, keyId: Buffer.from(keyId), mac: Buffer.from(mac) }
}
