import { createHmac, randomBytes } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import type { Slot } from '../../snapshots.ts'

type Wire = GatewayServices['wire']

/** A key of the app state. */
interface SettingsKey {
  readonly keyId: Buffer
  readonly keyData: {
    readonly keyData: Buffer
    readonly fingerprint: { rawId: number; currentIndex: number; deviceIndexes: number[] }
    readonly timestamp: number
  }
}

/** The keys of an account's app state, which its phone makes and shares with the companions. */
export interface SettingsKeys {
  /** In base64; new patches are written with it. */
  readonly active: string
  /** The form that Baileys' codec expects. */
  get(
    id: string,
  ): Promise<ReturnType<Wire['proto']['Message']['AppStateSyncKeyData']['fromObject']> | undefined>
  /** All keys, or those of the ids that this phone has, in the form shared with companions; the active one is last. */
  share(ids?: readonly Uint8Array[]): Record<string, unknown>
  /** Makes a new one. */
  renew(): void
  /** The MAC over a collection's LTHash, which reveals a wrong hash. */
  snapshotMac(keyId: Uint8Array, hash: Uint8Array, version: number, name: string): Buffer
}

export function newSettingsKey(): SettingsKey {
  return {
    keyId: randomBytes(6),
    keyData: {
      keyData: randomBytes(32),
      fingerprint: { rawId: 1, currentIndex: 0, deviceIndexes: [0] },
      timestamp: Date.now(),
    },
  }
}

export function createSettingsKeys(wire: Wire, first: SettingsKey, slot: Slot): SettingsKeys {
  const later = slot('renewed settings keys', () => [] as SettingsKey[])
  const all = (): SettingsKey[] => [first, ...later]
  const find = (id: Uint8Array): SettingsKey | undefined => all().find(({ keyId }) => keyId.equals(id))

  return {
    get active() {
      return (later.at(-1) ?? first).keyId.toString('base64')
    },
    async get(id) {
      const key = find(Buffer.from(id, 'base64'))
      return key && wire.proto.Message.AppStateSyncKeyData.fromObject(key.keyData)
    },
    share(ids) {
      const shared = ids ? ids.flatMap((id) => find(id) ?? []) : all()
      return { keys: shared.map(({ keyId, keyData }) => ({ keyId: { keyId }, keyData })) }
    },
    renew: () => void later.push(newSettingsKey()),
    snapshotMac(keyId, hash, version, name) {
      const secret = find(keyId)?.keyData.keyData ?? Buffer.alloc(32)
      const keys = Buffer.from(wire.hkdf(secret, 160, { info: 'WhatsApp Mutation Keys' }))
      const number = Buffer.alloc(8)
      number.writeUInt32BE(version, 4)
      return createHmac('sha256', keys.subarray(96, 128)).update(hash).update(number).update(name).digest()
    },
  }
}
