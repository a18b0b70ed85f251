import { fitting } from '../../forms/fitting.ts'
import { labelsOf, needsHelp, phoneOf, type Summary, stateText, titleOf, waitingOf } from './summary.ts'

/** Groups of states that somebody filters by; a session may be in two. */
export const GROUPS = ['open', 'help', 'linking', 'reconnecting', 'offline', 'unknown'] as const
type Group = (typeof GROUPS)[number]

const LINKING = ['scan', 'code', 'passkey', 'passkey-confirm']

const FITS: Readonly<Record<Group, (session: Summary) => boolean>> = {
  open: ({ State }) => State === 'open',
  help: needsHelp,
  linking: ({ State, JID }) => LINKING.includes(State) || (State === 'connecting' && !JID),
  reconnecting: ({ State, JID }) => State === 'waiting' || (State === 'connecting' && JID !== ''),
  offline: ({ State }) => State === 'offline',
  unknown: ({ State }) => State === 'unknown',
}

/** A group, or else the state with that name. */
export function fitsState(session: Summary, state: string): boolean {
  if (!state) return true
  return isGroup(state) ? FITS[state](session) : session.State === state
}

export const isGroup = (state: string): state is Group => (GROUPS as readonly string[]).includes(state)

/** Whether a session has all words in name, number, id and labels; `customer:acme` also matches a label. */
export function searching(search: string): (session: Summary) => boolean {
  const fits = fitting(search)
  return ({ Name, JID, Id, Labels }) =>
    fits([Name, ...Object.entries(Labels).map(([name, value]) => `${name}:${value}`)], [JID, Id])
}

export const COLUMNS = ['name', 'number', 'state', 'since', 'last', 'waiting', 'labels'] as const
export type Column = (typeof COLUMNS)[number]

export interface Sort {
  readonly column: Column
  readonly isDescending: boolean
}

/** What one looks for in these comes last in the alphabet of numbers: the newest, the most. */
const DESCENDING_FIRST: readonly Column[] = ['since', 'last', 'waiting']

/** `-since` is descending; undefined for the order by need. */
export function parseSort(text: string): Sort | undefined {
  const isDescending = text.startsWith('-')
  const column = COLUMNS.find((one) => one === text.slice(isDescending ? 1 : 0))
  return column && { column, isDescending }
}

/** The next one when the head of a column is pressed: its first direction, the other one, then by need again. */
export function nextSort(sort: Sort | undefined, column: Column): string {
  const first = DESCENDING_FIRST.includes(column)
  const isDescending = sort?.column === column ? !sort.isDescending : first
  if (sort?.column === column && sort.isDescending !== first) return ''
  return `${isDescending ? '-' : ''}${column}`
}

const VALUES: Readonly<Record<Column, (session: Summary) => string | number>> = {
  name: titleOf,
  number: phoneOf,
  state: ({ State }) => stateText(State),
  since: ({ Since }) => Date.parse(Since) || 0,
  last: ({ LastMessage }) => Date.parse(LastMessage) || 0,
  waiting: waitingOf,
  labels: (session) => labelsOf(session).join(' '),
}

const collator = new Intl.Collator(undefined, { numeric: true })

/** Sessions that need somebody first unless a column is chosen; what a column has no value for comes last in both directions. */
export function sorted(sessions: readonly Summary[], sort: Sort | undefined): Summary[] {
  const rank = sort ? VALUES[sort.column] : (session: Summary) => (needsHelp(session) ? 0 : 1)
  const turn = sort?.isDescending ? -1 : 1
  return sessions
    .map((session) => ({ session, value: rank(session), title: titleOf(session) }))
    .sort(
      (a, b) =>
        (sort ? Number(!a.value) - Number(!b.value) : 0) ||
        turn * compare(a.value, b.value) ||
        collator.compare(a.title, b.title),
    )
    .map(({ session }) => session)
}

function compare(a: string | number, b: string | number): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : collator.compare(String(a), String(b))
}
