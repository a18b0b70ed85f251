import type { Signal } from '@preact/signals'
import { Field, type FieldProps } from '../parts/field.tsx'

export interface TextFieldProps extends Omit<FieldProps, 'id' | 'children'> {
  value: Signal<string>
  type?: 'text' | 'tel'
  inputMode?: 'text' | 'url' | 'numeric'
  maxLength?: number
  placeholder?: string | undefined
  /** Id of a list of suggestions. */
  list?: string
  spellcheck?: boolean
}

/** One line of text, without what the browser would suggest. */
export function TextField({ label, hint, error = '', value, ...input }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ties) => (
        <input
          {...ties}
          {...input}
          value={value.value}
          autocomplete="off"
          onInput={({ currentTarget }) => (value.value = currentTarget.value)}
        />
      )}
    </Field>
  )
}
