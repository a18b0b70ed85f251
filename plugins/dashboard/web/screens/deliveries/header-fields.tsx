import { Button } from '../../parts/button.tsx'
import { t } from '../../text.ts'
import type { Header } from './draft.ts'
import type { PartProps } from './part.ts'

const MAX_HEADERS = 20

/** The webhook's own headers; those that are set are kept, unseen, until they are replaced. */
export function HeaderFields({ draft, onChange, errors, known }: PartProps & { known: readonly string[] }) {
  const { headers } = draft
  const error = errors['Headers']
  const put = (at: number, change: Partial<Header>): void =>
    onChange({ headers: headers?.map((one, index) => (index === at ? { ...one, ...change } : one)) })
  return (
    <fieldset class="card stack">
      <legend class="sr-only">{t('deliveries.headers')}</legend>
      <div>
        <h2>{t('deliveries.headers')}</h2>
        <p class="hint">{t('deliveries.headersHint')}</p>
      </div>
      {headers ? (
        <>
          {headers.map(({ name, value }, at) => (
            <div class="header-row" key={at}>
              <input
                aria-label={t('deliveries.headerName')}
                placeholder="Authorization"
                value={name}
                maxLength={64}
                autocomplete="off"
                onInput={({ currentTarget }) => put(at, { name: currentTarget.value })}
              />
              <input
                aria-label={t('deliveries.headerValue')}
                placeholder="Bearer …"
                value={value}
                maxLength={4096}
                autocomplete="off"
                onInput={({ currentTarget }) => put(at, { value: currentTarget.value })}
              />
              <Button
                kind="quiet"
                label={t('deliveries.headerRemove', { name })}
                onPress={() => onChange({ headers: headers.filter((_, index) => index !== at) })}
              >
                {t('deliveries.remove')}
              </Button>
            </div>
          ))}
          {headers.length < MAX_HEADERS ? (
            <div class="actions">
              <Button onPress={() => onChange({ headers: [...headers, { name: '', value: '' }] })}>
                {t('deliveries.headerAdd')}
              </Button>
            </div>
          ) : null}
        </>
      ) : (
        <div class="row">
          <span>
            {known.map((name) => (
              <code key={name}>{name}: ••• </code>
            ))}
          </span>
          <Button onPress={() => onChange({ headers: known.map((name) => ({ name, value: '' })) })}>
            {t('deliveries.headersReplace')}
          </Button>
        </div>
      )}
      {error ? (
        <p class="hint hint-bad" role="alert">
          {error}
        </p>
      ) : null}
    </fieldset>
  )
}
