import './fleet.css'
import { useSignal } from '@preact/signals'
import { useEffect, useMemo } from 'preact/hooks'
import { login } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Empty } from '../../parts/empty.tsx'
import { LiveState } from '../../parts/live-state.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Page } from '../../parts/page.tsx'
import { query, setQuery } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import { Attention } from './attention.tsx'
import { SessionCard } from './card.tsx'
import { CreateSession } from './create.tsx'
import { openFleet } from './fleet.ts'
import { needsHelp, type Summary, stateText, titleOf } from './summary.ts'

/** Cards added at once: those of hundreds of sessions would make each change slow. */
const PAGE = 30

export default function FleetScreen() {
  const fleet = useMemo(openFleet, [])
  useEffect(() => () => fleet.close(), [fleet])
  const isCreating = useSignal(false)
  const shownCount = useSignal(PAGE)
  const { sessions, error, unanswered, live, reload } = fleet
  const search = query.value.get('search') ?? ''
  const state = query.value.get('state') ?? ''
  const all = [...(sessions.value?.values() ?? [])]
  const fitting = all.filter((session) => fits(session, search, state)).sort(byNeed)
  const states = [...new Set(all.map(({ State }) => State))].sort()
  const mayCreate = login.value?.Scopes.includes('admin')
  const create = mayCreate ? (
    <Button kind="primary" onPress={() => (isCreating.value = true)}>
      {t('fleet.create')}
    </Button>
  ) : null

  return (
    <Page title={t('fleet.title')} lead={<Lead all={all} />} actions={all.length > 0 ? create : null}>
      {error.value ? (
        <Notice kind="bad">
          {error.value} <Button onPress={reload}>{t('shell.retry')}</Button>
        </Notice>
      ) : null}
      {unanswered.value.length > 0 ? (
        <Notice kind="warn">{t('fleet.unanswered', { nodes: unanswered.value.join(', ') })}</Notice>
      ) : null}
      {!sessions.value && !error.value ? <p class="loading">{t('shell.loading')}</p> : null}
      <Attention isQuiet={all.length === 0} />
      {sessions.value && all.length === 0 ? <Empty action={create}>{t('fleet.empty')}</Empty> : null}
      {all.length > 0 ? (
        <div class="row fleet-filters">
          <label>
            <span class="sr-only">{t('fleet.search')}</span>
            <input
              type="search"
              placeholder={t('fleet.search')}
              value={search}
              onInput={({ currentTarget }) => setQuery({ search: currentTarget.value })}
            />
          </label>
          <label>
            <span class="sr-only">{t('fleet.stateFilter')}</span>
            <select value={state} onChange={({ currentTarget }) => setQuery({ state: currentTarget.value })}>
              <option value="">{t('fleet.allStates')}</option>
              {states.map((one) => (
                <option key={one} value={one}>
                  {stateText(one)}
                </option>
              ))}
            </select>
          </label>
          <LiveState live={live} />
        </div>
      ) : null}
      {all.length > 0 && fitting.length === 0 ? <Empty>{t('fleet.noneFits')}</Empty> : null}
      <ul class="fleet">
        {fitting.slice(0, shownCount.value).map((session) => (
          <SessionCard key={session.Id} session={session} />
        ))}
      </ul>
      {fitting.length > shownCount.value ? (
        <p class="fleet-more">
          <Button onPress={() => (shownCount.value += PAGE)}>
            {t('fleet.more', { count: fitting.length - shownCount.value })}
          </Button>
        </p>
      ) : null}
      <CreateSession isOpen={isCreating.value} onClose={() => (isCreating.value = false)} />
    </Page>
  )
}

function Lead({ all }: { all: readonly Summary[] }) {
  const open = all.filter(({ State }) => State === 'open').length
  const help = all.filter(needsHelp).length
  return (
    <>
      {t('fleet.count', { count: all.length })} · {t('fleet.open', { count: open })}
      {help > 0 ? ` · ${t('fleet.help', { count: help })}` : ''}
    </>
  )
}

/** @param search words in name, number, id and labels; `customer:acme` also matches a label */
function fits(session: Summary, search: string, state: string): boolean {
  if (state && session.State !== state) return false
  const labels = Object.entries(session.Labels).map(([name, value]) => `${name}:${value}`)
  const text = [session.Name, session.JID, session.Id, ...labels].join(' ').toLowerCase()
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word))
}

const collator = new Intl.Collator()

/** Sessions that need attention first, then by name. */
function byNeed(a: Summary, b: Summary): number {
  return Number(needsHelp(b)) - Number(needsHelp(a)) || collator.compare(titleOf(a), titleOf(b))
}
