import { Field } from '../../parts/field.tsx'
import type { EndpointEdits } from '../../parts/webhooks.ts'
import { t, textFor } from '../../text.ts'
import type { PartProps } from './part.ts'

const TRANSFORM = '{"Pick": ["type", "message.text"], "Set": {"source": "wamux"}}'

/** The form of the requests: format, edits, the format's own events, and changes of the JSON. */
export function BodyFields({ draft, onChange, offer, errors, isGlobal }: PartProps & { isGlobal: boolean }) {
  const format = offer.formats.find(({ Name }) => Name === draft.format)
  const { Edits = [], Events = [] } = format ?? {}
  return (
    <fieldset class="card stack">
      <legend class="sr-only">{t('deliveries.requests')}</legend>
      <h2>{t('deliveries.requests')}</h2>
      <div class="field-pair">
        <Field
          label={t('deliveries.format')}
          hint={t('deliveries.formatHint')}
          error={errors['Format'] ?? ''}
        >
          {(ties) => (
            <select
              {...ties}
              value={draft.format}
              onChange={({ currentTarget }) =>
                onChange({ format: currentTarget.value, edits: '', events: [] })
              }
            >
              {format ? null : <option value={draft.format}>{draft.format}</option>}
              {offer.formats.map(({ Name, Title }) => (
                <option key={Name} value={Name}>
                  {Title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={t('deliveries.edits')} hint={t('deliveries.editsHint')} error={errors['Edits'] ?? ''}>
          {(ties) => (
            <select
              {...ties}
              value={draft.edits || Edits[0]}
              onChange={({ currentTarget }) => onChange({ edits: currentTarget.value as EndpointEdits })}
            >
              {Edits.map((name) => (
                <option key={name} value={name}>
                  {textFor('deliveries', `editsOf_${name}`) ?? name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {Events.length > 0 ? (
        <details>
          <summary>{t('deliveries.ownEvents', { format: format?.Title ?? draft.format })}</summary>
          <p class="hint">{t('deliveries.ownEventsHint')}</p>
          <div class="own-events">
            {Events.map((name) => (
              <label key={name}>
                <input
                  type="checkbox"
                  checked={draft.events.includes(name)}
                  onChange={({ currentTarget }) => {
                    const others = draft.events.filter((one) => one !== name)
                    onChange({ events: currentTarget.checked ? [...others, name] : others })
                  }}
                />{' '}
                <code>{name}</code>
              </label>
            ))}
          </div>
        </details>
      ) : null}
      <Field
        label={t('deliveries.transform')}
        hint={
          <>
            {t('deliveries.transformHint')} <code>{TRANSFORM}</code>
          </>
        }
        error={errors['Transform'] ?? ''}
      >
        {(ties) => (
          <textarea
            {...ties}
            class="mono"
            spellcheck={false}
            value={draft.transform}
            onInput={({ currentTarget }) => onChange({ transform: currentTarget.value })}
          />
        )}
      </Field>
      {isGlobal ? (
        <label>
          <input
            type="checkbox"
            checked={draft.includesToken}
            onChange={({ currentTarget }) => onChange({ includesToken: currentTarget.checked })}
          />{' '}
          {t('deliveries.includeToken')}
        </label>
      ) : null}
    </fieldset>
  )
}
