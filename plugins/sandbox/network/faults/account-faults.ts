import { createSerialQueue, type SerialQueue } from 'wamux/plugin'
import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { Corruption } from './corrupt.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'

/** An error code for the next `left` requests. */
export interface Refusals {
  readonly code: string
  left: number
}

/** The faults of one account, which affect its companions. */
export interface AccountFaults {
  isSilent: boolean
  delayMs: number
  /** Sends delayed stanzas in order. */
  readonly delayed: SerialQueue
  held: { device: Device; stanza: Stanza }[] | undefined
  sends: Refusals | undefined
  settings: Refusals | undefined
  logins: Refusals | undefined
  corruption: (Corruption & { left: number }) | undefined
}

export function newAccountFaults(): AccountFaults {
  return {
    isSilent: false,
    delayMs: 0,
    delayed: createSerialQueue(),
    held: undefined,
    sends: undefined,
    settings: undefined,
    logins: undefined,
    corruption: undefined,
  }
}

interface Target {
  readonly account: AccountState
  readonly faults: AccountFaults
  readonly request: FaultRequest
  readonly effects: FaultEffects
}

/** Faults of one account's companions, by name. */
export const ACCOUNT_FAULTS: Readonly<Record<string, (target: Target) => void>> = {
  drop: ({ account }) => disconnect(account),
  silent({ faults }) {
    faults.isSilent = true
  },
  delay({ faults, request }) {
    faults.delayMs = request.Ms ?? 1000
  },
  refuse({ faults, request }) {
    faults.sends = refusals(request, 463)
  },
  refuseSettings({ faults, request }) {
    faults.settings = refusals(request, 403)
  },
  failure({ faults, request }) {
    faults.logins = refusals(request, 503)
  },
  replaced: ({ account }) =>
    disconnect(account, el('stream:error', {}, [el('conflict', { type: 'replaced' })])),
  streamError: ({ account, request }) =>
    disconnect(account, el('stream:error', { code: request.Code ?? 503 })),
  holdReceipts({ faults }) {
    faults.held = []
  },
  releaseReceipts({ faults, effects }) {
    const held = faults.held ?? []
    faults.held = undefined
    for (const { device, stanza } of held) effects.deliver(device, stanza)
  },
  redeliver({ account, request, effects }) {
    for (const device of companionsOf(account)) effects.redeliver(device, request.Count ?? 1)
  },
  garble: ({ faults, request }) => corruptNext(faults, 'garble', request),
  unavailable: ({ faults, request }) => corruptNext(faults, 'unavailable', request),
}

function refusals({ Code, Count = Number.POSITIVE_INFINITY }: FaultRequest, code: number): Refusals {
  return { code: String(Code ?? code), left: Count }
}

function corruptNext(faults: AccountFaults, how: Corruption['how'], { Type, Count }: FaultRequest): void {
  faults.corruption = { how, type: Type, left: Count ?? 1 }
}

function disconnect(account: AccountState, ...last: Stanza[]): void {
  for (const { link } of companionsOf(account)) link?.close(...last)
}

function companionsOf({ devices }: AccountState): Device[] {
  return [...devices.values()].filter(({ id }) => id !== 0)
}
