import { useSignal } from '@preact/signals'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Badge } from '../../parts/badge.tsx'
import { Moment } from '../../parts/moment.tsx'
import { withNames } from '../../parts/people.ts'
import { t } from '../../text.ts'
import type { EventRow } from './event-row.ts'
import { toneOf } from './tone.ts'

export interface ListProps {
  rows: readonly EventRow[]
  selected: string
  /** Address of an event. */
  hrefOf(row: EventRow): string
  /** Called when somebody uses the list, which should then stop moving. */
  onUse(): void
  showsSession: boolean
}

/** Height of a row in pixels; on a narrow screen it has two lines. */
const rowHeight = (): number => (window.matchMedia('(max-width: 720px)').matches ? 60 : 36)
/** Rows rendered above and below the visible ones. */
const MORE = 8

/** Only the visible rows are in the document. Arrow keys move between them; rows keep their position while new ones arrive. */
export function EventList({ rows, selected, hrefOf, onUse, showsSession }: ListProps) {
  const box = useRef<HTMLDivElement>(null)
  const top = useSignal(0)
  const height = useSignal(600)
  const rowSize = useSignal(rowHeight())
  const first = useRef<number | undefined>(undefined)

  useLayoutEffect(() => {
    const { current } = box
    if (!current) return
    const observer = new ResizeObserver(() => {
      height.value = current.clientHeight
      rowSize.value = rowHeight()
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [height, rowSize])

  useLayoutEffect(() => {
    const { current } = box
    const before = first.current
    first.current = rows[0]?.seq
    if (!current || before === undefined || current.scrollTop === 0) return
    const added = rows.findIndex(({ seq }) => seq <= before)
    if (added > 0) current.scrollTop += added * rowSize.value
  }, [rows])

  function move(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key]
    const at = Number((document.activeElement as HTMLElement | null)?.dataset.at ?? Number.NaN)
    if (step === undefined || Number.isNaN(at)) return
    event.preventDefault()
    const next = Math.max(0, Math.min(rows.length - 1, at + step))
    const { current } = box
    if (!current) return
    const seen = current.scrollTop + current.clientHeight
    if (next * rowSize.value < current.scrollTop) current.scrollTop = next * rowSize.value
    else if ((next + 1) * rowSize.value > seen)
      current.scrollTop = (next + 1) * rowSize.value - current.clientHeight
    top.value = current.scrollTop
    requestAnimationFrame(() => current.querySelector<HTMLElement>(`[data-at="${next}"]`)?.focus())
  }

  const from = Math.max(0, Math.floor(top.value / rowSize.value) - MORE)
  const shown = rows.slice(from, Math.ceil((top.value + height.value) / rowSize.value) + MORE)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its links have the focus, it moves it between them
    <div
      ref={box}
      class="events-list"
      onScroll={({ currentTarget }) => {
        top.value = currentTarget.scrollTop
      }}
      onFocusIn={onUse}
      onKeyDown={move}
    >
      <ol
        class="events-rows"
        aria-label={t('inspector.list')}
        style={{ height: `${rows.length * rowSize.value}px` }}
      >
        {shown.map((row, index) => (
          <li
            key={row.seq}
            class="events-row"
            style={{ transform: `translateY(${(from + index) * rowSize.value}px)` }}
          >
            <a
              href={hrefOf(row)}
              data-at={from + index}
              aria-current={row.id === selected ? 'true' : undefined}
            >
              <span class="mono muted">
                <Moment at={row.time} to="seconds" />
              </span>
              <span class="events-type">
                <Badge tone={toneOf(row.type)}>{row.type}</Badge>
              </span>
              {showsSession ? (
                <span class="events-session muted">{row.sessionName || row.session}</span>
              ) : null}
              <span class="events-chat">{withNames(row.session, row.chat)}</span>
              <span class="events-text">{withNames(row.session, row.text)}</span>
            </a>
          </li>
        ))}
      </ol>
    </div>
  )
}
