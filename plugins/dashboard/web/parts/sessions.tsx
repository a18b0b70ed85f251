import { api, may } from '../api.ts'
import { t } from '../text.ts'
import { Field } from './field.tsx'
import { phoneIn } from './person.ts'
import { type Loaded, useLoad } from './use-load.ts'

export interface SessionName {
  readonly id: string
  /** Its name, or else its number; '' without either. */
  readonly name: string
}

/** Whether the login may read data of all sessions. */
export function isAdmin(): boolean {
  return may('admin')
}

/** The sessions that the login may name. */
export function useSessions(): Loaded<readonly SessionName[]> {
  return useLoad(async () => {
    const { Sessions } = await api.get('/session/summary')
    return Sessions.map(({ Id, Name, JID }) => ({ id: Id, name: Name || phoneIn(JID) }))
  })
}

export interface SessionSelectProps {
  label: string
  sessions: readonly SessionName[]
  value: string
  onSelect(id: string): void
  /** Label for no choice; when absent, a choice is required. */
  all?: string
}

export function SessionSelect({ label, sessions, value, onSelect, all }: SessionSelectProps) {
  const isKnown = value === '' || sessions.some(({ id }) => id === value)
  return (
    <Field label={label}>
      {(ties) => (
        <select {...ties} value={value} onChange={({ currentTarget }) => onSelect(currentTarget.value)}>
          {all === undefined ? (
            <option value="">{t('deliveries.chooseSession')}</option>
          ) : (
            <option value="">{all}</option>
          )}
          {isKnown ? null : <option value={value}>{value}</option>}
          {sessions.map(({ id, name }) => (
            <option key={id} value={id}>
              {name || id}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}
