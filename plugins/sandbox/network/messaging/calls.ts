import type { AccountState, Device } from '../directory/accounts.ts'

export interface Call {
  readonly id: string
  readonly creator: Device
  /** JID of the group, for group calls. */
  readonly group: string | undefined
  state: 'ringing' | 'accepted' | 'rejected' | 'ended'
}

/** Calls by id, also shown by GET /sandbox/network. */
export type OngoingCalls = Map<string, Call>

/** Call links by token: `https://call.whatsapp.com/<video or voice>/<token>`. */
export type CallLinks = Map<string, { creator: AccountState; media: string; startTime: number | undefined }>

export function viewCall({ id, creator, group, state }: Call): Record<string, unknown> {
  return { ID: id, From: creator.account.phone, Group: group ?? '', State: state }
}
