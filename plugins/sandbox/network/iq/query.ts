import type { Stanza } from '../../types.ts'
import type { Device } from '../directory/accounts.ts'
import type { NetworkState } from '../state.ts'

/** Answers a query with the content of its result. Throws `refusal(code, text)`. */
export type QueryHandler = (state: NetworkState, device: Device, iq: Stanza) => Stanza[] | undefined

/** Answers a mex query, identified by a number, with the `data` of its result. Throws `refusal(code, text)`. */
export type MexHandler = (
  state: NetworkState,
  device: Device,
  variables: Record<string, unknown>,
) => Record<string, unknown>
