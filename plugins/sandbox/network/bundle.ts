import { bytes, child, children } from '../stanza.ts'
import type { Stanza } from '../types.ts'
import type { Device } from './accounts.ts'
import type { NetworkState } from './state.ts'

/** The bundle that a companion registers with. */
export function registeredBundle(
  registration: Parameters<NetworkState['unpairs']['add']>[2],
): Device['bundle'] {
  const part = (value: Uint8Array | null | undefined): Buffer => Buffer.from(value ?? [])
  return {
    registration: part(registration.eRegid),
    identity: part(registration.eIdent),
    signed: {
      id: part(registration.eSkeyId),
      value: part(registration.eSkeyVal),
      signature: part(registration.eSkeySig),
    },
    oneTime: [],
  }
}

/** Reads `<key><id/><value/></key>` lists of a prekey upload. */
export function readKeys(list: Stanza | undefined): { id: Buffer; value: Buffer }[] {
  return children(list, 'key').map((key) => ({
    id: bytes(child(key, 'id')),
    value: bytes(child(key, 'value')),
  }))
}
