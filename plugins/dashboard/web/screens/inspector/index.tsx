import { useComputed, useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { textOf } from '../../api.ts'
import { follow, type Live } from '../../live.ts'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { isAdmin, useSessions } from '../../parts/sessions.ts'
import { useLoad } from '../../parts/use-load.ts'
import { path, query, to } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { EventDetail } from './detail.tsx'
import { type EventRow, toEventRow } from './event-row.ts'
import { type Filters, newestSeq, readEvent, readOlder, sessionOf, streamPath } from './events-of.ts'
import { FilterForm } from './filters.tsx'
import './inspector.css'
import { EventList } from './list.tsx'
import { createTail, MAX_ROWS } from './tail.ts'

/** The event log: live, and backwards. */
export default function Inspector() {
  const [session, type, chat, id] = ['session', 'type', 'chat', 'id'].map(
    (name) => query.value.get(name) ?? '',
  )
  const filters = useMemo(
    () => ({ session: session ?? '', type: type ?? '', chat: chat ?? '', id: id ?? '' }),
    [session, type, chat, id],
  )
  const sessions = useSessions()
  return (
    <Page title={t('inspector.title')} lead={t('inspector.lead')}>
      <Events key={JSON.stringify(filters)} filters={filters} sessions={sessions.data.value ?? []} />
    </Page>
  )
}

function Events({
  filters,
  sessions,
}: {
  filters: Filters
  sessions: readonly { id: string; name: string }[]
}) {
  const tail = useMemo(createTail, [])
  const live = useSignal<Live | undefined>(undefined)
  const before = useSignal<number | undefined>(undefined)
  const error = useSignal('')
  const isLoaded = useSignal(false)
  const types = useComputed(() => [...new Set(tail.rows.value.map(({ type }) => type))].sort())
  const selected = query.value.get('event') ?? ''

  async function older(): Promise<void> {
    try {
      const page = await readOlder(filters, before.value)
      tail.addOlder(page.rows)
      before.value = page.before
      error.value = ''
    } catch (failure) {
      error.value = textOf(failure)
    }
    isLoaded.value = true
  }

  useEffect(() => {
    const start = async (): Promise<void> => {
      // Opened before the first page is read: events logged meanwhile are in both, and kept once.
      const newest = await newestSeq(filters).catch(() => undefined)
      await older()
      if (ended.signal.aborted || error.value) return
      live.value = follow(streamPath(filters), ({ data }) => tail.add(toEventRow(data)), {
        session: sessionOf(filters),
        ...(newest === undefined ? {} : { after: String(newest) }),
      })
    }
    const ended = new AbortController()
    void start()
    return () => {
      ended.abort()
      live.value?.close()
      tail.stop()
    }
  }, [tail])

  const rows = tail.rows.value
  return (
    <div class="stack">
      <FilterForm filters={filters} sessions={sessions} types={types.value} />
      <div class="row">
        <LiveState live={live.value} />
        <Button onPress={tail.isPaused.value ? tail.resume : tail.pause}>
          {t(tail.isPaused.value ? 'inspector.resume' : 'inspector.pause')}
        </Button>
        <span class="muted" data-waiting={tail.waiting.value}>
          {tail.isPaused.value
            ? t('inspector.waiting', { count: tail.waiting.value })
            : t('inspector.shown', { count: rows.length })}
        </span>
      </div>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      <div class={selected ? 'events events-split' : 'events'}>
        <div>
          {rows.length > 0 ? (
            <EventList
              rows={rows}
              selected={selected}
              hrefOf={hrefOf}
              onUse={tail.pause}
              showsSession={isAdmin() && !filters.session}
            />
          ) : isLoaded.value && !error.value ? (
            <Empty>
              {t(Object.values(filters).some(Boolean) ? 'inspector.noneFiltered' : 'inspector.none')}
            </Empty>
          ) : null}
          {before.value && rows.length < MAX_ROWS ? (
            <p class="events-more">
              <Button kind="quiet" onPress={older}>
                {t('inspector.older')}
              </Button>
            </p>
          ) : null}
        </div>
        {selected ? <Selected id={selected} rows={rows} filters={filters} /> : null}
      </div>
    </div>
  )
}

function Selected({ id, rows, filters }: { id: string; rows: readonly EventRow[]; filters: Filters }) {
  const known = rows.find((row) => row.id === id)
  const found = useLoad(async () => known ?? (await readEvent(id, filters)) ?? null, [id])
  const row = found.data.value?.id === id ? found.data.value : known
  if (row) return <EventDetail key={row.id} row={row} view={query.value.get('view') ?? ''} />
  if (found.error.value) return <Notice kind="bad">{found.error.value}</Notice>
  return <p class="loading">{t(found.data.value === null ? 'inspector.gone' : 'shell.loading')}</p>
}

function hrefOf({ id }: EventRow): string {
  const changed = new URLSearchParams(query.value)
  changed.set('event', id)
  return to(`${path.value}?${changed}`)
}
