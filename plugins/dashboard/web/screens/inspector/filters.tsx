import { SessionSelect } from '../../forms/session-select.tsx'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { isAdmin, type SessionName } from '../../parts/sessions.ts'
import { setQuery } from '../../shell/navigate.ts'
import { t } from '../../text.ts'
import type { Filters } from './events-of.ts'

export interface FilterFormProps {
  filters: Filters
  sessions: readonly SessionName[]
  /** Types that were seen. */
  types: readonly string[]
}

const NONE = { session: '', type: '', chat: '', id: '' }

/** The filters, which are stored in the address. */
export function FilterForm({ filters, sessions, types }: FilterFormProps) {
  function submit(event: Event): void {
    event.preventDefault()
    const form = new FormData(event.currentTarget as HTMLFormElement)
    const text = (name: string): string => String(form.get(name) ?? '').trim()
    setQuery({ type: text('type'), chat: text('chat'), id: text('id') })
  }
  const isFiltered = Object.values(filters).some(Boolean)
  return (
    <form class="events-filters" onSubmit={submit} key={JSON.stringify(filters)}>
      {isAdmin() || sessions.length > 1 ? (
        <SessionSelect
          label={t('inspector.session')}
          sessions={sessions}
          value={filters.session}
          onSelect={(session) => setQuery({ session })}
          {...(isAdmin() ? { all: t('inspector.allSessions') } : {})}
        />
      ) : null}
      <Field label={t('inspector.type')}>
        {(ties) => (
          <input {...ties} name="type" list="event-types" defaultValue={filters.type} placeholder="Message" />
        )}
      </Field>
      <datalist id="event-types">
        {types.map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      <Field label={t('inspector.chat')}>
        {(ties) => <input {...ties} name="chat" defaultValue={filters.chat} placeholder="5511999999999" />}
      </Field>
      <Field label={t('inspector.id')}>
        {(ties) => <input {...ties} name="id" defaultValue={filters.id} />}
      </Field>
      <div class="actions">
        <Button type="submit">{t('inspector.apply')}</Button>
        {isFiltered ? (
          <Button kind="quiet" onPress={() => setQuery(NONE)}>
            {t('inspector.clear')}
          </Button>
        ) : null}
      </div>
    </form>
  )
}
