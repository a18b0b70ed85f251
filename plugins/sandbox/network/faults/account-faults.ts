import { el } from '../../stanza.ts'
import type { Stanza } from '../../types.ts'
import type { AccountState, Device } from '../directory/accounts.ts'
import type { Corruption } from './corrupt.ts'
import type { FaultEffects, FaultRequest } from './fault.ts'

/** An error code for the next `left` requests. */
export interface AccountRefusals {
  readonly code: string
  /** Further attributes of a failure, besides its reason. */
  readonly attrs?: Readonly<Record<string, string>> | undefined
  left: number
}

interface Held {
  readonly device: Device
  readonly stanza: Stanza
}

/** AB props added to the usual ones, and the seconds after which clients query them again; undefined for a day. */
export interface PropsFault {
  readonly props: Readonly<Record<string, string>>
  readonly refreshSeconds: number | undefined
}

/** The faults of one account. They affect its companions, except `isOldClient`, which affects its phone. */
export interface AccountFaults {
  isSilent: boolean
  delayMs: number
  held: Held[] | undefined
  /** Withheld acks of accepted messages. */
  heldAcks: Held[] | undefined
  /** Withheld messages, delivered after those that arrive meanwhile. */
  heldMessages: { readonly list: Held[]; left: number } | undefined
  sends: AccountRefusals | undefined
  settings: AccountRefusals | undefined
  logins: AccountRefusals | undefined
  /** Errors in answers to stored queries (MEX), beside their data. */
  mexErrors: AccountRefusals | undefined
  /** In replies with settings of this collection, or any, a record is altered. */
  spoiling: { readonly collection: string | undefined; left: number } | undefined
  corruption: (Corruption & { left: number }) | undefined
  /** The account's phone has a version that does not stamp messages with their chat's timer. */
  isOldClient: boolean
  props: PropsFault | undefined
  /** The link is closed after this many stanzas of the offline queue. */
  queueCut: { left: number } | undefined
  /** The acks of so many messages say that the LID of the recipient is to be looked up again. */
  staleLids: { left: number } | undefined
}

export function newAccountFaults(): AccountFaults {
  return {
    isSilent: false,
    delayMs: 0,
    held: undefined,
    heldAcks: undefined,
    heldMessages: undefined,
    sends: undefined,
    settings: undefined,
    logins: undefined,
    mexErrors: undefined,
    spoiling: undefined,
    corruption: undefined,
    isOldClient: false,
    props: undefined,
    queueCut: undefined,
    staleLids: undefined,
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
  spoilSettings({ faults, request: { Type, Count } }) {
    faults.spoiling = { collection: Type, left: Count ?? Number.POSITIVE_INFINITY }
  },
  failure({ faults, request }) {
    faults.logins = refusals(request, 503)
  },
  mexError({ faults, request }) {
    faults.mexErrors = refusals({ ...request, Count: request.Count ?? 1 }, 500)
  },
  replaced: ({ account }) =>
    disconnect(account, el('stream:error', {}, [el('conflict', { type: 'replaced' })])),
  streamError: ({ account, request }) => disconnect(account, streamError(request)),
  holdReceipts({ faults }) {
    faults.held = []
  },
  releaseReceipts({ faults, effects }) {
    const held = faults.held ?? []
    faults.held = undefined
    for (const { device, stanza } of held) effects.deliver(device, stanza)
  },
  holdAcks({ faults }) {
    faults.heldAcks ??= []
  },
  releaseAcks({ faults }) {
    const held = faults.heldAcks ?? []
    faults.heldAcks = undefined
    // Acks are not queued for an offline device.
    for (const { device, stanza } of held) device.link?.send(stanza)
  },
  holdMessages({ faults, request }) {
    faults.heldMessages = {
      list: faults.heldMessages?.list ?? [],
      left: request.Count ?? Number.POSITIVE_INFINITY,
    }
  },
  releaseMessages({ faults, effects }) {
    const held = faults.heldMessages?.list ?? []
    faults.heldMessages = undefined
    for (const { device, stanza } of held) effects.deliver(device, stanza)
  },
  redeliver({ account, request, effects }) {
    for (const device of companionsOf(account)) effects.redeliver(device, request.Count ?? 1)
  },
  oldClient({ faults }) {
    faults.isOldClient = true
  },
  garble: ({ faults, request }) => corruptNext(faults, 'garble', request),
  unavailable: ({ faults, request }) => corruptNext(faults, 'unavailable', request),
  addCiphertext: ({ faults, request }) => corruptNext(faults, 'addCiphertext', request),
  replaceCiphertext: ({ faults, request }) => corruptNext(faults, 'replaceCiphertext', request),
  cutQueue({ faults, request }) {
    faults.queueCut = { left: request.Count ?? 5 }
  },
  refreshLid({ faults, request }) {
    faults.staleLids = { left: request.Count ?? 1 }
  },
  props({ faults, request }) {
    faults.props = propsFault(request)
  },
}

export function refusals(
  { Code, Attrs, Count = Number.POSITIVE_INFINITY }: FaultRequest,
  code: number,
): AccountRefusals {
  return { code: String(Code ?? code), attrs: Attrs, left: Count }
}

export function propsFault({ Props: props = {}, Ms }: FaultRequest): PropsFault {
  return { props, refreshSeconds: Ms === undefined ? undefined : Math.max(1, Math.ceil(Ms / 1000)) }
}

function corruptNext(faults: AccountFaults, how: Corruption['how'], { Type, Count }: FaultRequest): void {
  faults.corruption = { how, type: Type, left: Count ?? 1 }
}

/** An error with a conflict or another child needs no code. */
function streamError({ Code, Conflict, Type }: FaultRequest): Stanza {
  const code = Code ?? (Conflict || Type ? undefined : 503)
  const children = [
    ...(Conflict ? [el('conflict', { type: Conflict })] : []),
    ...(Type ? [el(Type, {})] : []),
  ]
  return el('stream:error', { code }, children)
}

function disconnect(account: AccountState, ...last: Stanza[]): void {
  for (const { link } of companionsOf(account)) link?.close(...last)
}

function companionsOf({ devices }: AccountState): Device[] {
  return [...devices.values()].filter(({ id }) => id !== 0)
}
