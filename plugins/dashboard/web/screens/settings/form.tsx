import './settings.css'
import { useSignal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import type { Schema } from '../../forms/schema.ts'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { t } from '../../text.ts'
import { parseSetting, type Setting, toSetting, toText } from './setting.ts'
import { SettingField, Switch } from './setting-field.tsx'

interface Settings {
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
  const all = Object.entries(properties).map(([name, own]) => toSetting(name, own))
  const stored = useSignal(settings)
  const isOn = useSignal(settings.Enabled)
  const texts = useSignal<Texts>(textsOf(all, settings.Values))
  const faults = useSignal<Texts>({})
  const outcome = useSignal<'' | 'saved' | 'refused'>('')
  const error = useSignal('')
  const before = textsOf(all, stored.value.Values)
  const isChanged =
    isOn.value !== stored.value.Enabled || all.some(({ name }) => texts.value[name] !== before[name])

  async function save(): Promise<void> {
    outcome.value = ''
    const parsed = all.map((setting) => ({
      name: setting.name,
      ...parseSetting(setting, texts.value[setting.name] ?? ''),
    }))
    faults.value = Object.fromEntries(parsed.flatMap(({ name, fault }) => (fault ? [[name, fault]] : [])))
    if (Object.keys(faults.value).length > 0) return refuse(t('settings.correct'))
    // The omitted ones follow the plugin.
    const values = Object.fromEntries(
      parsed.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    )
    try {
      const saved = await api.put(
        '/session/settings/{plugin}',
        { Enabled: isOn.value, Values: values },
        { params: { plugin: Plugin }, ...of(session) },
      )
      stored.value = saved
      texts.value = textsOf(all, saved.Values)
      outcome.value = 'saved'
    } catch (failure) {
      faults.value = namedIn(textOf(failure), all)
      refuse(Object.keys(faults.value).length > 0 ? t('settings.correct') : textOf(failure))
    }
  }
  function refuse(why: string): void {
    error.value = why
    outcome.value = 'refused'
    focusFirst(Plugin)
  }
  function change(name: string, text: string): void {
    texts.value = { ...texts.value, [name]: text }
    const { [name]: _, ...others } = faults.value
    faults.value = others
    outcome.value = ''
  }

  return (
    <form
      id={idOf(Plugin)}
      class="card stack settings-form"
      aria-labelledby={`${idOf(Plugin)}-title`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <div class="settings-head">
        <div class="row">
          <h2 id={`${idOf(Plugin)}-title`}>{Title}</h2>
          <span class="muted mono">{Plugin}</span>
        </div>
        <label for={`${idOf(Plugin)}-on`}>
          {t('settings.enabled')}
          <Switch
            ties={{ id: `${idOf(Plugin)}-on` }}
            isOn={isOn.value}
            onChange={(value) => {
              isOn.value = value
              outcome.value = ''
            }}
          />
        </label>
      </div>
      {all.map((setting) => (
        <SettingField
          key={setting.name}
          setting={setting}
          text={texts.value[setting.name] ?? ''}
          error={faults.value[setting.name] ?? ''}
          isSet={stored.value.Secrets[setting.name] ?? false}
          onChange={(text) => change(setting.name, text)}
        />
      ))}
      <div class="settings-save">
        <Button type="submit" kind={isChanged ? 'primary' : 'plain'}>
          {t('settings.save')}
        </Button>
        {outcome.value === 'saved' ? <Notice kind="good">{t('settings.saved')}</Notice> : null}
        {outcome.value === 'refused' ? <Notice kind="bad">{error.value}</Notice> : null}
        {outcome.value === '' && isChanged ? <span class="muted">{t('settings.unsaved')}</span> : null}
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

function textsOf(all: readonly Setting[], values: Readonly<Record<string, unknown>>): Texts {
  return Object.fromEntries(all.map((setting) => [setting.name, toText(setting, values[setting.name])]))
}

/** Refusals by field: the gateway's text names each one, as in `Invalid Values: "limit" must be >= 1; "word" must be string`. */
function namedIn(message: string, all: readonly Setting[]): Texts {
  const named: Record<string, string> = {}
  let last = ''
  for (const part of message.slice(message.indexOf('"')).split('; ')) {
    const [, path = '', why = ''] = /^"([^"]+)" (.*)$/s.exec(part) ?? []
    const name = path.split(/[./[]/)[0] ?? ''
    if (all.some((setting) => setting.name === name)) {
      last = name
      named[name] = why
    } else if (last) named[last] += `; ${part}`
  }
  return named
}
