import { bytes, child, children } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { NetworkState } from '../state.ts'
import type { Device } from './accounts.ts'

/** The key bundle in a companion's registration. */
export function registeredBundle(
  registration: Parameters<NetworkState['unpairedCompanions']['add']>[2],
): Device['bundle'] {
  const bytesOf = (value: Uint8Array | null | undefined): Buffer => Buffer.from(value ?? [])
  return {
    registration: bytesOf(registration.eRegid),
    identity: bytesOf(registration.eIdent),
    signed: {
      id: bytesOf(registration.eSkeyId),
      value: bytesOf(registration.eSkeyVal),
      signature: bytesOf(registration.eSkeySig),
    },
    oneTime: [],
  }
}

/** Reads the `<key><id/><value/></key>` list of a prekey upload. */
export function readPreKeys(list: Stanza | undefined): { id: Buffer; value: Buffer }[] {
  return children(list, 'key').map((key) => ({
    id: bytes(child(key, 'id')),
    value: bytes(child(key, 'value')),
  }))
}
