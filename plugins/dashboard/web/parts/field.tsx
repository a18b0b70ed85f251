import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface FieldProps {
  id?: string
  label: string
  hint?: ComponentChildren
  error?: string
  /** Receives the attributes that tie the input to its label, hint and error. */
  children: (ties: {
    id: string
    'aria-describedby': string
    'aria-invalid': 'true' | undefined
  }) => ComponentChildren
}

/** An input with its label: `<Field label="Name">{(ties) => <input {...ties} />}</Field>` */
export function Field({ label, hint, error, children, ...props }: FieldProps) {
  const made = useId()
  const id = props.id ?? made
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': `${id}-hint ${id}-error`,
        'aria-invalid': error ? 'true' : undefined,
      })}
      <p class="hint" id={`${id}-hint`}>
        {hint}
      </p>
      <p class="hint hint-bad" id={`${id}-error`} role="alert">
        {error}
      </p>
    </div>
  )
}
