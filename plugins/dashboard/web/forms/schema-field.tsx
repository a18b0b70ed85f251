import { Field } from '../parts/field.tsx'
import { t } from '../text.ts'
import type { FieldSpec } from './schema.ts'

export interface SchemaFieldProps {
  field: FieldSpec
  text: string
  /** '' for none */
  error: string
  /** What an empty choice means; nothing when absent. */
  none?: string
  onChange(text: string): void
}

/** The input of one field of a schema. */
export function SchemaField({ field, text: value, error, none = '', onChange: set }: SchemaFieldProps) {
  const { name, kind, choices, description, isRequired, example } = field
  return (
    <Field label={isRequired ? `${name} *` : name} hint={description} {...(error ? { error } : {})}>
      {(ties) => {
        if (kind === 'choice' || kind === 'boolean')
          return (
            <select {...ties} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
              <option value="">{none}</option>
              {(kind === 'boolean' ? ['true', 'false'] : choices).map((choice) => (
                <option key={choice} value={choice}>
                  {choice}
                </option>
              ))}
            </select>
          )
        const input = {
          ...ties,
          value,
          required: isRequired,
          placeholder: example,
          onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
            set(currentTarget.value),
        }
        if (kind === 'file')
          return (
            <>
              <input {...input} placeholder="data:…  https://…" />
              <input
                type="file"
                aria-label={t('composer.file', { name })}
                onChange={({ currentTarget }) => void readFile(currentTarget.files?.[0]).then(set)}
              />
            </>
          )
        if (kind === 'long' || kind === 'list' || kind === 'json')
          return <textarea {...input} class={kind === 'json' ? 'mono' : ''} spellcheck={kind === 'long'} />
        if (kind === 'secret') return <input {...input} type="password" autocomplete="new-password" />
        return <input {...input} inputMode={kind === 'number' ? 'decimal' : 'text'} />
      }}
    </Field>
  )
}

/** As a data URL. */
function readFile(file: File | undefined): Promise<string> {
  if (!file) return Promise.resolve('')
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(String(reader.result))
    reader.onerror = () => reject(reader.error)
    reader.readAsDataURL(file)
  })
}
