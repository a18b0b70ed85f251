import { signal } from '@preact/signals'
import { query, setQuery } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { fitsState, GROUPS, isGroup } from './arrange.ts'
import { type Summary, stateText } from './summary.ts'

const VIEWS = ['table', 'cards'] as const
type View = (typeof VIEWS)[number]

const STORED = 'wamux-fleet-view'

/** How the sessions are shown; the choice is kept. */
export const view = signal<View>(localStorage.getItem(STORED) === 'cards' ? 'cards' : 'table')

function choose(wanted: View): void {
  view.value = wanted
  localStorage.setItem(STORED, wanted)
}

export function Search() {
  return (
    <label class="fleet-search">
      <span class="sr-only">{t('fleet.search')}</span>
      <input
        type="search"
        placeholder={t('fleet.search')}
        maxLength={256}
        value={query.value.get('search') ?? ''}
        onInput={({ currentTarget }) => setQuery({ search: currentTarget.value })}
      />
    </label>
  )
}

/** @param sessions those that fit the search: each number counts the rows that its filter shows */
export function StateChips({ sessions, state }: { sessions: readonly Summary[]; state: string }) {
  // A state that is no group of its own: a link of another screen named it.
  const names = isGroup(state) || !state ? ['', ...GROUPS] : ['', ...GROUPS, state]
  return (
    <fieldset class="chips">
      <legend class="sr-only">{t('fleet.stateFilter')}</legend>
      {names.map((name) => {
        const count = sessions.filter((session) => fitsState(session, name)).length
        if (count === 0 && name !== '' && name !== state) return null
        return (
          <button
            key={name}
            type="button"
            class="chip"
            aria-pressed={name === state}
            onClick={() => setQuery({ state: name === state ? '' : name })}
          >
            {titleOf(name)} <span class={`chip-count chip-${name || 'all'}`}>{numberOf(count)}</span>
          </button>
        )
      })}
    </fieldset>
  )
}

export function ViewChoice() {
  return (
    <fieldset class="views">
      <legend class="sr-only">{t('fleet.view')}</legend>
      {VIEWS.map((one) => (
        <button key={one} type="button" aria-pressed={view.value === one} onClick={() => choose(one)}>
          {t(`fleet.view_${one}`)}
        </button>
      ))}
    </fieldset>
  )
}

function titleOf(name: string): string {
  if (name === '') return t('fleet.all')
  if (name === 'help' || name === 'linking' || name === 'reconnecting') return t(`fleet.group_${name}`)
  return stateText(name)
}
