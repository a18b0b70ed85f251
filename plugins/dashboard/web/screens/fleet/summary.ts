import type { Tone } from '../../parts/badge.tsx'
import { phoneIn } from '../../parts/person.ts'
import { textFor } from '../../text.ts'

/** The data of `GET /session/summary`. */
export interface Summary {
  readonly Id: string
  readonly Name: string
  readonly Node: string
  readonly Labels: Readonly<Record<string, string>>
  readonly JID: string
  readonly Connected: boolean
  readonly LoggedIn: boolean
  readonly State: string
  readonly Reason: string
  readonly Next: string
  readonly Since: string
  readonly LastStanza: string
  readonly LastMessage: string
  readonly Cause: string
  readonly Outbox: number
  readonly Pending: number
  readonly PendingSince: string
  readonly RestrictedUntil: string
  readonly Day: readonly number[]
}

const TONES: Readonly<Record<string, Tone>> = {
  open: 'good',
  connecting: 'info',
  scan: 'info',
  code: 'info',
  passkey: 'warn',
  'passkey-confirm': 'warn',
  waiting: 'warn',
  unknown: 'warn',
  'logged-out': 'bad',
  replaced: 'bad',
  banned: 'bad',
  failed: 'bad',
}

/** States that need somebody to act. */
export const needsHelp = ({ State }: Summary): boolean =>
  TONES[State] === 'bad' || State.startsWith('passkey')

export const toneOf = (state: string): Tone => TONES[state] ?? 'neutral'

export function stateText(state: string): string {
  return textFor('fleet', `state_${state}`) ?? state
}

/** The next step for a person on this page; the interface's own text if the page has none. */
export function nextText({ State, Next, JID, Cause }: Summary): string {
  const places = [
    `next_${State}_${Cause}`,
    State === 'offline' && JID ? 'next_offline_linked' : '',
    `next_${State}`,
  ]
  for (const place of places) {
    const text = place && textFor('fleet', place)
    if (text !== undefined && text !== '') return text
  }
  return State === 'open' ? '' : Next
}

/** The place of the next step: linking has its own page. */
export const isToLink = ({ State, JID }: Summary): boolean =>
  ['scan', 'code', 'passkey', 'passkey-confirm', 'logged-out'].includes(State) ||
  (!JID && ['offline', 'failed', 'connecting'].includes(State))

/** Number of the account; '' before a phone is linked. */
export const phoneOf = ({ JID }: Pick<Summary, 'JID'>): string => phoneIn(JID)

/** Name, or else number, or else id. */
export const titleOf = ({ Name, JID, Id }: Pick<Summary, 'Name' | 'JID' | 'Id'>): string =>
  Name || phoneOf({ JID }) || Id

/** What waits: messages in progress and pending deliveries. */
export const waitingOf = ({ Outbox, Pending }: Pick<Summary, 'Outbox' | 'Pending'>): number =>
  Outbox + Pending

/** In words: `customer: acme`. */
export const labelsOf = ({ Labels }: Pick<Summary, 'Labels'>): string[] =>
  Object.entries(Labels).map(([name, value]) => (value ? `${name}: ${value}` : name))
