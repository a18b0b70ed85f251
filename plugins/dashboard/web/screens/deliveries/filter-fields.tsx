import { Field } from '../../parts/field.tsx'
import { t } from '../../text.ts'
import { type EndpointDraft, KINDS } from './draft.ts'
import type { PartProps } from './part.ts'

const LISTS = [
  ['allow', '5511999999999, 120363000000000000@g.us'],
  ['deny', '5511999999999'],
  ['types', 'Message, ReadReceipt'],
] as const

/** Which of the chosen events are left out. */
export function FilterFields({ draft, onChange, errors }: PartProps) {
  return (
    <fieldset class="card stack">
      <legend class="sr-only">{t('deliveries.filter')}</legend>
      <div>
        <h2>{t('deliveries.filter')}</h2>
        <p class="hint">{t('deliveries.filterHint')}</p>
      </div>
      <div class="filter-kinds">
        {KINDS.map((kind) => (
          <label key={kind}>
            <input
              type="checkbox"
              checked={draft.filter[kind] !== false}
              onChange={({ currentTarget }) =>
                onChange({ filter: { ...draft.filter, [kind]: currentTarget.checked } })
              }
            />{' '}
            {t(`deliveries.kind_${kind}`)}
          </label>
        ))}
      </div>
      {LISTS.map(([name, placeholder]) => (
        <Field
          key={name}
          label={t(`deliveries.filter_${name}`)}
          hint={name === 'deny' ? undefined : t(`deliveries.filter_${name}Hint`)}
          error={errorOf(errors['Filter'], name)}
        >
          {(ties) => (
            <input
              {...ties}
              value={draft[name]}
              placeholder={placeholder}
              autocomplete="off"
              onInput={({ currentTarget }) =>
                onChange({ [name]: currentTarget.value } as Partial<EndpointDraft>)
              }
            />
          )}
        </Field>
      ))}
    </fieldset>
  )
}

const FIELDS = { allow: 'AllowChats', deny: 'DenyChats', types: 'Types' } as const

/** The refusal of one list; what names none of them is shown at the first. */
function errorOf(error = '', name: keyof typeof FIELDS): string {
  const field = Object.entries(FIELDS).find(([, one]) => error.startsWith(one))?.[0] ?? 'allow'
  return field === name ? error.replace(/^\w+: /, '') : ''
}
