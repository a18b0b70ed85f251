import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface FieldProps {
  label: string
  hint?: ComponentChildren
  error?: string
  /** Gets what ties the input to its label, its hint and its error. */
  children: (ties: {
    id: string
    'aria-describedby': string
    'aria-invalid': 'true' | undefined
  }) => ComponentChildren
}

/** An input with its label: `<Field label="Name">{(ties) => <input {...ties} />}</Field>` */
export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId()
  return (
    <div class="field">
      <label class="label" for={id}>
        {label}
      </label>
      {children({ id, 'aria-describedby': `${id}-hint`, 'aria-invalid': error ? 'true' : undefined })}
      <p class={error ? 'hint hint-bad' : 'hint'} id={`${id}-hint`}>
        {error || hint}
      </p>
    </div>
  )
}
