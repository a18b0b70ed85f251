import './fleet.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { api, may } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { TextField } from '../../forms/text-field.tsx'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { go, query } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { fitsState, parseSort, searching, sorted } from './arrange.ts'
import { Attention } from './attention.tsx'
import { type Run, run } from './bulk.ts'
import { BulkBar } from './bulk-bar.tsx'
import { BulkRun } from './bulk-run.tsx'
import { SessionCard } from './card.tsx'
import { DayLegend } from './day-bar.tsx'
import { Search, StateChips, ViewChoice, view } from './filters.tsx'
import { type Fleet, openFleet } from './fleet.ts'
import { createSelection } from './selection.ts'
import type { Summary } from './summary.ts'
import { SessionTable } from './table.tsx'

export default function FleetScreen() {
  const fleet = useMemo(openFleet, [])
  useEffect(() => () => fleet.close(), [fleet])
  const isCreating = useSignal(false)
  const { sessions, error, unanswered, reload } = fleet
  const count = sessions.value?.size ?? 0
  const create = may('admin') ? (
    <Button kind="primary" onPress={() => (isCreating.value = true)}>
      {t('fleet.create')}
    </Button>
  ) : null

  return (
    <Page
      title={t('fleet.title')}
      lead={count > 0 ? t('fleet.count', { count }) : undefined}
      actions={count > 0 ? create : null}
    >
      {error.value ? (
        <Notice kind="bad">
          {error.value} <Button onPress={reload}>{t('shell.retry')}</Button>
        </Notice>
      ) : null}
      {unanswered.value.length > 0 ? (
        <Notice kind="warn">{t('fleet.unanswered', { nodes: unanswered.value.join(', ') })}</Notice>
      ) : null}
      {!sessions.value && !error.value ? <p class="loading">{t('shell.loading')}</p> : null}
      <Attention isQuiet={count === 0} />
      {sessions.value && count === 0 ? <Empty action={create}>{t('fleet.empty')}</Empty> : null}
      {count > 0 ? <Sessions fleet={fleet} /> : null}
      <CreateSession isOpen={isCreating.value} onClose={() => (isCreating.value = false)} />
    </Page>
  )
}

/** The sessions that fit, what can be done to those chosen, and what was done. */
function Sessions({ fleet }: { fleet: Fleet }) {
  const search = query.value.get('search') ?? ''
  const state = query.value.get('state') ?? ''
  const order = query.value.get('sort') ?? ''
  const { value: all } = fleet.sessions
  const sort = useMemo(() => parseSort(order), [order])
  const found = useMemo(() => [...(all?.values() ?? [])].filter(searching(search)), [all, search])
  const fitting = useMemo(
    () =>
      sorted(
        found.filter((session) => fitsState(session, state)),
        sort,
      ),
    [found, state, sort],
  )
  const selection = useMemo(createSelection, [])
  const running = useSignal<Run | undefined>(undefined)
  const mayAct = may('manage')
  // Only what is shown is acted on.
  const chosen = fitting.filter(({ Id }) => selection.ids.value.has(Id))
  return (
    <>
      <div class="fleet-filters">
        <Search />
        <StateChips sessions={found} state={state} />
        <span class="bar-space" />
        <LiveState live={fleet.live} />
        <ViewChoice />
      </div>
      {running.value ? (
        <BulkRun
          run={running.value}
          onRetry={(sessions) => {
            const { action, input } = running.value ?? {}
            if (action && input) running.value = run(action, latest(sessions, all), input)
          }}
          onClose={() => (running.value = undefined)}
        />
      ) : null}
      {fitting.length > 0 ? (
        <div class={view.value === 'table' ? 'sessions-legend' : 'fleet-legend'}>
          <DayLegend />
        </div>
      ) : null}
      {fitting.length === 0 ? (
        <Empty>{t('fleet.noneFits')}</Empty>
      ) : view.value === 'cards' ? (
        <SessionCards sessions={fitting} />
      ) : (
        <SessionTable sessions={fitting} sort={sort} selection={mayAct ? selection : undefined} />
      )}
      <BulkBar
        sessions={view.value === 'table' ? chosen : []}
        isBusy={running.value !== undefined && !running.value.isOver.value}
        onRun={(action, sessions, input) => {
          running.value = run(action, sessions, input)
        }}
        onClear={() => selection.set([])}
      />
    </>
  )
}

/** As they are now: a session may have been stopped by the attempt that failed. */
function latest<T extends { readonly Id: string }>(
  sessions: readonly T[],
  all: ReadonlyMap<string, T> | undefined,
): T[] {
  return sessions.map((session) => all?.get(session.Id) ?? session)
}

/** Cards added at once: those of hundreds of sessions would make each change slow. */
const PAGE = 30

/** A card for each session, with its next step and its last 24 hours. */
function SessionCards({ sessions }: { sessions: readonly Summary[] }) {
  const shown = useSignal(PAGE)
  return (
    <>
      <ul class="fleet">
        {sessions.slice(0, shown.value).map((session) => (
          <SessionCard key={session.Id} session={session} />
        ))}
      </ul>
      {sessions.length > shown.value ? (
        <p class="fleet-more">
          <Button onPress={() => (shown.value += PAGE)}>
            {t('fleet.more', { count: sessions.length - shown.value })}
          </Button>
        </p>
      ) : null}
    </>
  )
}

/** Creates a session and continues with linking it. Its token is not shown here; the operator can replace it later. */
function CreateSession({ isOpen, onClose }: { isOpen: boolean; onClose(): void }) {
  const name = useSignal('')
  return (
    <FormDialog
      title={t('fleet.create')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('fleet.createAndLink')}
      run={async () => {
        const { Id } = await api.post('/session/init', { Name: name.value.trim() })
        onClose()
        go(`/link/${encodeURIComponent(Id)}`)
      }}
    >
      <TextField label={t('fleet.name')} hint={t('fleet.nameHint')} value={name} maxLength={256} />
    </FormDialog>
  )
}
