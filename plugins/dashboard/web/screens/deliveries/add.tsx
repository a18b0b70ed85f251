import { useSignal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { useLoad } from '../../parts/use-load.ts'
import { readFormats } from '../../parts/webhooks.ts'
import { t } from '../../text.ts'

export interface AddWebhookProps {
  session: string
  /** Whether the session has its own webhook; the first one added becomes that. */
  hasMain: boolean
  onChange(): Promise<void>
}

const DEFAULT_FORMAT = 'wamux'

/** Adds a webhook, and shows its secret once. */
export function AddWebhook({ session, hasMain, onChange }: AddWebhookProps) {
  const secret = useSignal('')
  const error = useSignal('')
  const url = useSignal('')
  const format = useSignal(DEFAULT_FORMAT)
  const formats = useLoad(() => readFormats(session), [session])

  async function add(): Promise<void> {
    error.value = ''
    secret.value = ''
    try {
      secret.value = (await request(session, hasMain, { URL: url.value.trim(), Format: format.value })) ?? ''
      url.value = ''
      await onChange()
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <details class="card">
      <summary>{t('deliveries.add')}</summary>
      <form
        class="stack add-webhook"
        onSubmit={(event) => {
          event.preventDefault()
          void add()
        }}
      >
        <Field label={t('deliveries.url')} error={error.value} hint={t('deliveries.urlHint')}>
          {(ties) => (
            <input
              {...ties}
              type="url"
              required
              placeholder="https://example.com/hook"
              value={url.value}
              onInput={({ currentTarget }) => (url.value = currentTarget.value)}
            />
          )}
        </Field>
        <Field label={t('deliveries.format')} hint={t('deliveries.formatHint')}>
          {(ties) => (
            <select
              {...ties}
              value={format.value}
              onChange={({ currentTarget }) => (format.value = currentTarget.value)}
            >
              {(formats.data.value ?? [[DEFAULT_FORMAT, DEFAULT_FORMAT] as const]).map(([name, title]) => (
                <option key={name} value={name}>
                  {title}
                </option>
              ))}
            </select>
          )}
        </Field>
        <div class="actions">
          <Button type="submit" kind="primary">
            {t('deliveries.addRun')}
          </Button>
        </div>
        {secret.value ? (
          <>
            <Notice kind="good">{t('deliveries.added')}</Notice>
            <Copy text={secret.value} isBlock />
          </>
        ) : null}
      </form>
    </details>
  )
}

interface NewWebhook {
  URL: string
  Format: string
}

async function request(session: string, hasMain: boolean, webhook: NewWebhook): Promise<string | undefined> {
  if (!session) return (await api.post('/webhook/global', webhook)).Secret
  if (hasMain) return (await api.post('/webhook/endpoints', webhook, of(session))).Secret
  const { URL: WebhookURL, Format } = webhook
  return (await api.post('/webhook', { WebhookURL, Format, Subscribe: ['All'] }, of(session))).Secret
}
