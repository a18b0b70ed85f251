import { Ago } from '../../parts/ago.tsx'
import { Badge } from '../../parts/badge.tsx'
import { setQuery, to } from '../../shell/navigate.ts'
import { numberOf, t, timeOf } from '../../text.ts'
import { COLUMNS, type Column, nextSort, type Sort } from './arrange.ts'
import { DayBar } from './day-bar.tsx'
import { useRowsInSight } from './rows-in-sight.ts'
import type { Selection } from './selection.ts'
import {
  labelsOf,
  nextText,
  phoneOf,
  type Summary,
  stateText,
  titleOf,
  toneOf,
  waitingOf,
} from './summary.ts'
import './table.css'

export interface SessionTableProps {
  /** All that fit, in order. */
  sessions: readonly Summary[]
  sort: Sort | undefined
  /** undefined for who may not act on sessions. */
  selection: Selection | undefined
}

/** As in table.css. */
const HEIGHTS = { wide: 41, narrow: 81 }
const NUMBERS: readonly Column[] = ['waiting']

/** Only the rows in sight are in the document. Arrow keys move between them. */
export function SessionTable({ sessions, sort, selection }: SessionTableProps) {
  const { box, height, from, end } = useRowsInSight(sessions.length, HEIGHTS)

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const row = event.target instanceof HTMLAnchorElement ? event.target.closest('tr') : null
    if (!step || !row) return
    event.preventDefault()
    const other = step > 0 ? row.nextElementSibling : row.previousElementSibling
    other?.querySelector<HTMLElement>('a')?.focus()
  }

  return (
    <table
      class={selection ? 'sessions sessions-selectable' : 'sessions'}
      aria-label={t('fleet.title')}
      aria-rowcount={sessions.length + 1}
    >
      <thead>
        <tr class="sessions-row">
          {selection ? (
            <th scope="col" class="sessions-check">
              <SelectAll sessions={sessions} selection={selection} />
            </th>
          ) : null}
          {COLUMNS.map((column) => (
            <Head key={column} column={column} sort={sort} />
          ))}
          <th scope="col" class="sessions-day">
            {t('fleet.day')}
          </th>
        </tr>
      </thead>
      <tbody ref={box} onKeyDown={move} style={{ height: `${sessions.length * height}px` }}>
        {sessions.slice(from, end).map((session, index) => (
          <Row
            key={session.Id}
            session={session}
            at={from + index}
            top={(from + index) * height}
            isSelected={selection?.ids.value.has(session.Id) ?? false}
            onSelect={
              selection &&
              ((isRange) =>
                selection.toggle(
                  session.Id,
                  sessions.map(({ Id }) => Id),
                  isRange,
                ))
            }
          />
        ))}
      </tbody>
    </table>
  )
}

function SelectAll({ sessions, selection }: { sessions: readonly Summary[]; selection: Selection }) {
  const chosen = sessions.filter(({ Id }) => selection.ids.value.has(Id)).length
  const isAll = chosen === sessions.length && chosen > 0
  return (
    <label>
      <span class="sr-only">{t('fleet.selectAll', { count: sessions.length })}</span>
      <input
        type="checkbox"
        checked={isAll}
        indeterminate={chosen > 0 && !isAll}
        onChange={() => selection.set(isAll ? [] : sessions.map(({ Id }) => Id))}
      />
    </label>
  )
}

function Head({ column, sort }: { column: Column; sort: Sort | undefined }) {
  const isSorted = sort?.column === column
  const order = sort?.isDescending ? 'descending' : 'ascending'
  return (
    <th
      scope="col"
      class={NUMBERS.includes(column) ? `sessions-${column} number` : `sessions-${column}`}
      aria-sort={isSorted ? order : undefined}
    >
      <button type="button" class="sessions-sort" onClick={() => setQuery({ sort: nextSort(sort, column) })}>
        {t(`fleet.column_${column}`)}
        <span aria-hidden="true">{isSorted ? (sort.isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  )
}

interface RowProps {
  session: Summary
  /** Its place among all, from 0. */
  at: number
  top: number
  isSelected: boolean
  onSelect: ((isRange: boolean) => void) | undefined
}

function Row({ session, at, top, isSelected, onSelect }: RowProps) {
  const { Id, Node, State, Reason, Since, LastMessage, RestrictedUntil, PendingSince, Day } = session
  const title = titleOf(session)
  const labels = labelsOf(session)
  const waiting = waitingOf(session)
  const hints = [State === 'open' ? '' : Reason, nextText(session)].filter(Boolean).join(' ')
  return (
    <tr
      class={isSelected ? 'sessions-row session sessions-selected' : 'sessions-row session'}
      aria-rowindex={at + 2}
      style={{ transform: `translateY(${top}px)` }}
    >
      {onSelect ? (
        <td class="sessions-check">
          <label>
            <span class="sr-only">{t('fleet.select', { name: title })}</span>
            <input type="checkbox" checked={isSelected} onClick={({ shiftKey }) => onSelect(shiftKey)} />
          </label>
        </td>
      ) : null}
      <td class="sessions-name">
        <a href={to(`/sessions/${encodeURIComponent(Id)}`)} title={title}>
          {title}
        </a>
        {Node ? <span class="muted"> {t('fleet.node', { node: Node })}</span> : null}
      </td>
      <td class="sessions-number mono">{phoneOf(session)}</td>
      <td class="sessions-state">
        <span title={hints}>
          <Badge tone={toneOf(State)}>{stateText(State)}</Badge>
        </span>
      </td>
      <td class="sessions-since" data-title={t('fleet.column_since')}>
        {Since ? <Ago at={Since} /> : <None />}
      </td>
      <td class="sessions-last" data-title={t('fleet.last')}>
        {LastMessage ? <Ago at={LastMessage} /> : <None />}
      </td>
      <td
        class={PendingSince ? 'sessions-waiting number sessions-late' : 'sessions-waiting number'}
        data-title={t('fleet.column_waiting')}
        title={waiting > 0 ? waitingText(session) : undefined}
      >
        {waiting > 0 ? numberOf(waiting) : <None />}
      </td>
      <td class="sessions-labels" title={labels.join(', ')}>
        {RestrictedUntil ? (
          <span title={`${t('fleet.restricted')} ${timeOf(RestrictedUntil)}`}>
            <Badge tone="warn">{t('fleet.held')}</Badge>
          </span>
        ) : null}
        {labels.map((label) => (
          <Badge key={label}>{label}</Badge>
        ))}
      </td>
      <td class="sessions-day">
        <DayBar day={Day} />
      </td>
    </tr>
  )
}

const None = () => <span class="muted sessions-none">–</span>

function waitingText({ Outbox, Pending }: Summary): string {
  return `${t('fleet.outbox')}: ${numberOf(Outbox)} · ${t('fleet.pending')}: ${numberOf(Pending)}`
}
