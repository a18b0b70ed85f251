import { Field } from '../../parts/field.tsx'
import { t } from '../../text.ts'
import type { Composed } from './request.ts'
import type { FieldSpec } from './spec.ts'

export interface FormProps {
  fields: readonly FieldSpec[]
  texts: Readonly<Record<string, string>>
  faults: Composed['faults']
  /** Whether missing fields are marked. */
  isChecked: boolean
  onChange(name: string, text: string): void
}

/** The required fields, and the others, which can be opened. */
export function FieldForm({ fields, ...rest }: FormProps) {
  const required = fields.filter(({ isRequired }) => isRequired)
  const others = fields.filter(({ isRequired }) => !isRequired)
  return (
    <>
      {required.map((field) => (
        <OneField key={field.name} field={field} {...rest} />
      ))}
      {others.length > 0 ? (
        <details open={required.length === 0}>
          <summary>{t('composer.optional', { count: others.length })}</summary>
          <div class="stack composer-others">
            {others.map((field) => (
              <OneField key={field.name} field={field} {...rest} />
            ))}
          </div>
        </details>
      ) : null}
    </>
  )
}

type OneProps = Omit<FormProps, 'fields'> & { field: FieldSpec }

function OneField({ field, texts, faults, isChecked, onChange }: OneProps) {
  const { name, kind, choices, description, isRequired, example } = field
  const value = texts[name] ?? ''
  const fault = faults[name]
  const isShown = fault !== undefined && (fault !== 'missing' || isChecked)
  const set = (text: string): void => onChange(name, text)
  return (
    <Field
      label={isRequired ? `${name} *` : name}
      hint={description}
      {...(isShown ? { error: t(`composer.fault_${fault}`) } : {})}
    >
      {(ties) => {
        if (kind === 'choice' || kind === 'boolean')
          return (
            <select {...ties} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
              <option value="" />
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
