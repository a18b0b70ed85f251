import { randomBytes } from 'node:crypto'
import { HOSTED_DEVICE, parseJid, seconds } from '../../stanza.ts'
import type { OwnDevice } from './own-device.ts'
import type { SignalCredentials } from './signal.ts'

/** Which companions of the account are valid, as its phone signs it for others (ADVSignedKeyIndexList). */
export interface KeyIndexes {
  /** Of the phone's installation; part of each companion's identity. */
  readonly rawId: number
  /** Whether the account has a hosted device, which is part of what its phone signs for all companions. */
  readonly isHosted: boolean
  /** Publishes the list with a new companion. */
  add(index: number): void
  /** Publishes the list with the hosted device, as that of a hosted account. */
  addHosted(): void
  /** Publishes the list without a companion that was removed; without the hosted device, as that of an ordinary account. */
  remove(index: number): void
  /** The phone is set up anew: another installation, of which the companions are not. */
  renew(): void
}

/** Prefixes of the signed data (ZP signal/attestation/constants.ts). No client that was read verifies the signature. */
const KEY_INDEX_SIGNATURE = Buffer.from([6, 2])
const HOSTED_KEY_INDEX_SIGNATURE = Buffer.from([6, 7])

export function createKeyIndexes(
  { wire, network, account, slot }: OwnDevice,
  creds: SignalCredentials,
): KeyIndexes {
  const state = slot('key indexes', () => {
    // Of a state that was kept before there were lists.
    const valid = network.brief(account).companions.map(({ jid }) => parseJid(jid)?.device ?? 0)
    return { rawId: newRawId(), current: Math.max(0, ...valid), valid, isHosted: false }
  })

  function publish(): void {
    const { ADVEncryptionType, ADVKeyIndexList, ADVSignedKeyIndexList } = wire.proto
    const { rawId, current: currentIndex, valid: validIndexes, isHosted } = state
    const type = isHosted ? { accountType: ADVEncryptionType.HOSTED } : {}
    const list = { rawId, timestamp: seconds(), currentIndex, validIndexes, ...type }
    const details = ADVKeyIndexList.encode(list).finish()
    const { private: key } = creds.signedIdentityKey
    const prefix = isHosted ? HOSTED_KEY_INDEX_SIGNATURE : KEY_INDEX_SIGNATURE
    const accountSignature = wire.Curve.sign(key, Buffer.concat([prefix, details]))
    const signed = ADVSignedKeyIndexList.encode({ details, accountSignature }).finish()
    network.setKeyIndexes(account, Buffer.from(signed))
  }

  function add(index: number): void {
    state.valid = [...state.valid, index]
    state.current = Math.max(state.current, index)
    publish()
  }

  return {
    get rawId() {
      return state.rawId
    },
    get isHosted() {
      return state.isHosted
    },
    add,
    addHosted() {
      state.isHosted = true
      add(HOSTED_DEVICE)
    },
    remove(index) {
      state.valid = state.valid.filter((valid) => valid !== index)
      if (index === HOSTED_DEVICE) state.isHosted = false
      publish()
    },
    renew() {
      Object.assign(state, { rawId: newRawId(), valid: [] })
      publish()
    },
  }
}

function newRawId(): number {
  return randomBytes(4).readUInt32BE(0)
}
