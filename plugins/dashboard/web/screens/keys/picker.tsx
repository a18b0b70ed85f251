import { Combobox, type Option } from '../../forms/combobox.tsx'
import { fitting } from '../../forms/fitting.ts'
import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { t } from '../../text.ts'

export interface PickerProps {
  label: string
  hint?: string
  error?: string
  placeholder: string
  options: readonly Option[]
  chosen: readonly Option[]
  /** What may be chosen for a text that is in no option, for example a phone number. */
  other?: (text: string) => Option | undefined
  onChange(chosen: readonly Option[]): void
}

/** Several of a long list, found by typing. */
export function Picker(props: PickerProps) {
  const { label, hint = '', error = '', placeholder, options, chosen, other, onChange } = props

  function find(text: string): readonly Option[] {
    const fits = fitting(text)
    const found = options.filter(
      ({ value, title, detail }) =>
        !chosen.some((one) => one.value === value) && fits([title], [detail, value]),
    )
    const made = found.length === 0 && text ? other?.(text) : undefined
    return made ? [made] : found
  }

  return (
    <Field label={label} hint={hint} error={error}>
      {(ties) => (
        <div class="picker">
          {chosen.map((option) => (
            <span key={option.value} class="chip">
              {option.title}
              <Button
                kind="quiet"
                label={t('keys.remove', { name: option.title })}
                onPress={() => onChange(chosen.filter(({ value }) => value !== option.value))}
              >
                ✕
              </Button>
            </span>
          ))}
          <Combobox
            ties={ties}
            label={label}
            placeholder={chosen.length === 0 ? placeholder : ''}
            find={find}
            onPick={(option) => {
              if (!chosen.some(({ value }) => value === option.value)) onChange([...chosen, option])
            }}
            onBackspace={() => onChange(chosen.slice(0, -1))}
            picksOnLeave
          />
        </div>
      )}
    </Field>
  )
}
