import { Button } from '../../parts/button.tsx'
import { Field } from '../../parts/field.tsx'
import { withCode } from '../../parts/with-code.tsx'
import { t } from '../../text.ts'
import { defaultOf, type Setting, toText } from './setting.ts'

export interface SettingFieldProps {
  setting: Setting
  text: string
  /** '' for none */
  error: string
  /** For a secret: whether one is stored. */
  isSet: boolean
  onChange(text: string): void
}

/** The input of one setting, with what applies while it is not set. */
export function SettingField({ setting, text, error, isSet, onChange }: SettingFieldProps) {
  const { kind, label, description, byDefault } = setting
  const usual = defaultOf(setting)
  const hint = [
    description,
    kind === 'list' ? t('settings.perLine') : '',
    usual ? t('settings.byDefault', { value: usual }) : '',
  ]
  const isUsual = byDefault === undefined || text === toText(setting, byDefault)
  return (
    <div class={kind === 'switch' ? 'setting setting-switch' : 'setting'}>
      <Field label={label} hint={withCode(hint.filter(Boolean).map(sentence).join(' '))} error={error}>
        {(ties) => (
          <div class="setting-input">
            <Input setting={setting} text={text} isSet={isSet} ties={ties} onChange={onChange} />
            {isUsual ? null : (
              <Button
                kind="quiet"
                label={t('settings.resetOf', { name: label })}
                onPress={() => onChange(toText(setting, byDefault))}
              >
                {t('settings.reset')}
              </Button>
            )}
          </div>
        )}
      </Field>
    </div>
  )
}

interface InputProps {
  setting: Setting
  text: string
  isSet: boolean
  ties: { id: string; 'aria-describedby': string; 'aria-invalid': 'true' | undefined }
  onChange(text: string): void
}

function Input({ setting, text: value, isSet, ties, onChange: set }: InputProps) {
  const { kind, choices, unit, schema } = setting
  if (kind === 'switch')
    return <Switch ties={ties} isOn={value === 'true'} onChange={(isOn) => set(String(isOn))} />
  if (kind === 'choice' || kind === 'boolean') {
    const all =
      kind === 'choice'
        ? choices
        : [['true', t('settings.on')] as const, ['false', t('settings.off')] as const]
    return (
      <select {...ties} value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>
        {setting.byDefault === undefined ? <option value="">{t('settings.notSet')}</option> : null}
        {all.map(([choice, label]) => (
          <option key={choice} value={choice}>
            {label}
          </option>
        ))}
      </select>
    )
  }
  const input = {
    ...ties,
    value,
    onInput: ({ currentTarget }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
      set(currentTarget.value),
  }
  if (kind === 'number')
    return (
      <>
        <input
          {...input}
          type="number"
          step={schema.type === 'integer' ? 1 : 'any'}
          min={Number(schema.minimum ?? Number.NaN)}
          max={Number(schema.maximum ?? Number.NaN)}
        />
        {unit ? <span class="muted">{unit}</span> : null}
      </>
    )
  if (kind === 'time') return <input {...input} type="time" />
  if (kind === 'long' || kind === 'list' || kind === 'json')
    return <textarea {...input} class={kind === 'json' ? 'mono' : ''} spellcheck={kind === 'long'} />
  if (kind === 'secret')
    return (
      <input
        {...input}
        type="password"
        autocomplete="new-password"
        placeholder={isSet ? t('settings.secret') : ''}
      />
    )
  return <input {...input} type="text" />
}

export interface SwitchProps {
  ties: Pick<InputProps['ties'], 'id'>
  isOn: boolean
  onChange(isOn: boolean): void
}

export function Switch({ ties, isOn, onChange }: SwitchProps) {
  return (
    <input
      {...ties}
      type="checkbox"
      role="switch"
      class="switch"
      checked={isOn}
      aria-checked={isOn}
      onChange={({ currentTarget }) => onChange(currentTarget.checked)}
    />
  )
}

/** Descriptions of schemas have no full stop. */
const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)
