import { randomBytes } from 'node:crypto'
import type { GatewayServices } from 'wamux/plugin'
import type { Slot } from '../../snapshots.ts'
import { parseJid, seconds } from '../../stanza.ts'
import type { Account, SimulatedNetwork } from '../../types.ts'
import type { Credentials } from './signal.ts'

/** Which companions of the account are valid, as its phone signs it for others (ADVSignedKeyIndexList). */
export interface KeyIndexes {
  /** Of the phone's installation; part of each companion's identity. */
  readonly rawId: number
  /** Publishes the list with a new companion. */
  add(index: number): void
  /** The phone is set up anew: another installation, of which the companions are not. */
  renew(): void
}

export interface KeyIndexParts {
  wire: GatewayServices['wire']
  network: SimulatedNetwork
  account: Account
  creds: Credentials
  slot: Slot
}

/** Prefix of the signed data [?]: that of no client that was read, of which none checks it. */
const KEY_INDEX_SIGNATURE = Buffer.from([6, 2])

export function createKeyIndexes({ wire, network, account, creds, slot }: KeyIndexParts): KeyIndexes {
  const state = slot('key indexes', () => {
    // Of a state that was kept before there were lists.
    const valid = network.brief(account).companions.map(({ jid }) => parseJid(jid)?.device ?? 0)
    return { rawId: newRawId(), current: Math.max(0, ...valid), valid }
  })

  function publish(): void {
    const { ADVKeyIndexList, ADVSignedKeyIndexList } = wire.proto
    const { rawId, current: currentIndex, valid: validIndexes } = state
    const list = { rawId, timestamp: seconds(), currentIndex, validIndexes }
    const details = ADVKeyIndexList.encode(list).finish()
    const { private: key } = creds.signedIdentityKey
    const accountSignature = wire.Curve.sign(key, Buffer.concat([KEY_INDEX_SIGNATURE, details]))
    const signed = ADVSignedKeyIndexList.encode({ details, accountSignature }).finish()
    network.setKeyIndexes(account, Buffer.from(signed))
  }

  return {
    get rawId() {
      return state.rawId
    },
    add(index) {
      state.valid = [...state.valid, index]
      state.current = Math.max(state.current, index)
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
