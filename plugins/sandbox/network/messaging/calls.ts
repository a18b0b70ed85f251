import type { Device } from '../directory/accounts.ts'

export interface Call {
  readonly id: string
  readonly creator: Device
  /** JID of the group, for group calls. */
  readonly group: string | undefined
  state: 'ringing' | 'accepted' | 'rejected' | 'ended'
}

/** Calls by id; also shown by GET /sandbox/network. */
export type Calls = Map<string, Call>

export function viewCall({ id, creator, group, state }: Call): Record<string, unknown> {
  return { ID: id, From: creator.account.phone, Group: group ?? '', State: state }
}
