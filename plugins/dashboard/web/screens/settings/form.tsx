import { useSignal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import {
  type Fault,
  type FieldSpec,
  parseField,
  type Schema,
  textOfValue,
  toField,
} from '../../parts/schema.ts'
import { SchemaField } from '../../parts/schema-field.tsx'
import { t } from '../../text.ts'

export interface Settings {
  readonly Plugin: string
  readonly Title: string
  readonly Enabled: boolean
  readonly Values: Readonly<Record<string, unknown>>
  /** Secrets, with whether each is set. */
  readonly Secrets: Readonly<Record<string, boolean>>
  /** JSON Schema of `Values`. */
  readonly Schema: unknown
}

type Texts = Readonly<Record<string, string>>

/** The settings of one plugin in one session. */
export function SettingsForm({ session, settings }: { session: string; settings: Settings }) {
  const { Plugin, Title, Schema: schema } = settings
  const properties = ((schema as Schema).properties ?? {}) as Readonly<Record<string, Schema>>
  const secrets = useSignal(settings.Secrets)
  const fields = Object.entries(properties).map(([name, own]) =>
    toField(name, false, own, secrets.value[name] ? t('settings.secret') : own.default),
  )
  const isOn = useSignal(settings.Enabled)
  const texts = useSignal<Texts>(textsOf(fields, settings.Values))
  const faults = useSignal<Texts>({})
  const outcome = useSignal<'' | 'saved' | 'refused'>('')
  const error = useSignal('')

  async function save(): Promise<void> {
    outcome.value = ''
    const { values, wrong } = valuesOf(fields, properties, texts.value)
    faults.value = Object.fromEntries(
      Object.entries(wrong).map(([name, fault]) => [name, t(`composer.fault_${fault}`)]),
    )
    if (Object.keys(wrong).length > 0) return focusFirst(Plugin)
    try {
      const saved = await api.put(
        '/session/settings/{plugin}',
        { Enabled: isOn.value, Values: values },
        { params: { plugin: Plugin }, ...of(session) },
      )
      texts.value = textsOf(fields, saved.Values)
      secrets.value = saved.Secrets
      outcome.value = 'saved'
    } catch (failure) {
      error.value = textOf(failure)
      faults.value = namedIn(error.value, fields)
      outcome.value = 'refused'
      focusFirst(Plugin)
    }
  }

  return (
    <form
      id={idOf(Plugin)}
      class="card stack"
      aria-labelledby={`${idOf(Plugin)}-title`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div class="row">
        <h2 id={`${idOf(Plugin)}-title`}>{Title}</h2>
        <span class="muted mono">{Plugin}</span>
      </div>
      <label>
        <input
          type="checkbox"
          checked={isOn.value}
          onChange={({ currentTarget }) => (isOn.value = currentTarget.checked)}
        />{' '}
        {t('settings.enabled')}
      </label>
      {fields.map((field) => (
        <SchemaField
          key={field.name}
          field={field}
          text={texts.value[field.name] ?? ''}
          error={faults.value[field.name] ?? ''}
          none={t('settings.default')}
          onChange={(text) => (texts.value = { ...texts.value, [field.name]: text })}
        />
      ))}
      {outcome.value === 'saved' ? <Notice kind="good">{t('settings.saved')}</Notice> : null}
      {outcome.value === 'refused' ? <Notice kind="bad">{error.value}</Notice> : null}
      <div class="actions">
        <Button type="submit" kind="primary">
          {t('settings.save')}
        </Button>
      </div>
    </form>
  )
}

const idOf = (plugin: string): string => `settings-${plugin.replace(/\W/g, '-')}`

/** Focuses the first refused field. */
function focusFirst(plugin: string): void {
  requestAnimationFrame(() =>
    document.getElementById(idOf(plugin))?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(),
  )
}

function textsOf(fields: readonly FieldSpec[], values: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(fields.map(({ name, kind }) => [name, textOfValue(kind, values[name])]))
}

/**
 * The values that differ from the default: omitted ones follow the plugin. An empty text is a value only for a text field.
 */
function valuesOf(
  fields: readonly FieldSpec[],
  properties: Readonly<Record<string, Schema>>,
  texts: Texts,
): { values: Record<string, unknown>; wrong: Record<string, Fault> } {
  const values: Record<string, unknown> = {}
  const wrong: Record<string, Fault> = {}
  for (const field of fields) {
    const { name, kind } = field
    const text = texts[name] ?? ''
    if (text === '' && kind !== 'text' && kind !== 'long') continue
    const { value, fault } = parseField(field, text)
    if (fault) wrong[name] = fault
    else if (JSON.stringify(value) !== JSON.stringify(properties[name]?.default)) values[name] = value
  }
  return { values, wrong }
}

/** Refusals by field: the gateway's text names each one, as in `"limit" must be >= 1; "word" must be string`. */
function namedIn(message: string, fields: readonly FieldSpec[]): Texts {
  const named = [...message.matchAll(/"([^"]+)" ([^;"]+)/g)].map(([, path = '', why = '']) => ({
    name: path.split(/[./[]/)[0] ?? '',
    why: why.trim(),
  }))
  return Object.fromEntries(
    named
      .filter(({ name }) => fields.some((field) => field.name === name))
      .map(({ name, why }) => [name, `${name} ${why}`]),
  )
}
