import type { FieldSpec } from '../../forms/schema.ts'
import { SchemaField } from '../../forms/schema-field.tsx'
import { t } from '../../text.ts'
import type { Composed } from './request.ts'

interface FormProps {
  fields: readonly FieldSpec[]
  texts: Readonly<Record<string, string>>
  faults: Composed['faults']
  /** Whether missing fields are marked. */
  isChecked: boolean
  onChange(name: string, text: string): void
}

/** The required fields, and the others in a collapsible part. */
export function FieldForm({ fields, ...rest }: FormProps) {
  const required = fields.filter(({ isRequired }) => isRequired)
  const others = fields.filter(({ isRequired }) => !isRequired)
  return (
    <>
      {required.map((field) => (
        <One key={field.name} field={field} {...rest} />
      ))}
      {others.length > 0 ? (
        <details open={required.length === 0}>
          <summary>{t('composer.optional', { count: others.length })}</summary>
          <div class="stack composer-others">
            {others.map((field) => (
              <One key={field.name} field={field} {...rest} />
            ))}
          </div>
        </details>
      ) : null}
    </>
  )
}

function One({
  field,
  texts,
  faults,
  isChecked,
  onChange,
}: Omit<FormProps, 'fields'> & { field: FieldSpec }) {
  const fault = faults[field.name]
  const isShown = fault !== undefined && (fault !== 'missing' || isChecked)
  return (
    <SchemaField
      field={field}
      text={texts[field.name] ?? ''}
      error={isShown ? t(`composer.fault_${fault}`) : ''}
      onChange={(text) => onChange(field.name, text)}
    />
  )
}
