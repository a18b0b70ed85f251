import { api, may } from '../api.ts'
import { Combobox, type Option } from '../forms/combobox.tsx'
import { fitting } from '../forms/fitting.ts'
import { t } from '../text.ts'
import { Field } from './field.tsx'
import { phoneIn } from './person.ts'
import { type Loaded, useLoad } from './use-load.ts'

export interface SessionName {
  readonly id: string
  /** Its name, or else its number; '' without either. */
  readonly name: string
  /** Beside its name, to find it by. */
  readonly number?: string
}

/** Whether the login may read data of all sessions. */
export function isAdmin(): boolean {
  return may('admin')
}

/** The sessions that the login may name. */
export function useSessions(): Loaded<readonly SessionName[]> {
  return useLoad(async () => {
    const { Sessions } = await api.get('/session/summary')
    return Sessions.map(({ Id, Name, JID }) => ({
      id: Id,
      name: Name || phoneIn(JID),
      number: Name ? phoneIn(JID) : '',
    }))
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

/** One session, found by its name or number: there may be thousands. */
export function SessionSelect({ label, sessions, value, onSelect, all }: SessionSelectProps) {
  const options = [
    ...(all === undefined ? [] : [{ value: '', title: all, detail: '' }]),
    ...sessions.map(toOption),
  ]
  const chosen = options.find((option) => option.value === value)
  return (
    <Field label={label}>
      {(ties) => (
        <Combobox
          ties={ties}
          label={label}
          placeholder={t('deliveries.chooseSession')}
          shown={chosen?.title ?? value}
          find={(text) => {
            const fits = fitting(text)
            return options.filter(({ title, detail }) => fits(title, detail))
          }}
          onPick={(option) => onSelect(option.value)}
        />
      )}
    </Field>
  )
}

const toOption = ({ id, name, number = '' }: SessionName): Option => ({
  value: id,
  title: name || id,
  detail: number,
})
