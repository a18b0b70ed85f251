import { useSignal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { t } from '../../text.ts'

export interface AddWebhookProps {
  session: string
  /** Whether the session has its own webhook; the first one that is added becomes it. */
  hasMain: boolean
  onChange(): Promise<void>
}

/** Adds a webhook, and shows its secret once. */
export function AddWebhook({ session, hasMain, onChange }: AddWebhookProps) {
  const secret = useSignal('')
  const error = useSignal('')
  const url = useSignal('')

  async function add(): Promise<void> {
    error.value = ''
    secret.value = ''
    try {
      secret.value = (await request(session, hasMain, url.value.trim())) ?? ''
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

async function request(session: string, hasMain: boolean, URL: string): Promise<string | undefined> {
  if (!session) return (await api.post('/webhook/global', { URL })).Secret
  if (hasMain) return (await api.post('/webhook/endpoints', { URL }, of(session))).Secret
  return (await api.post('/webhook', { WebhookURL: URL, Subscribe: ['All'] }, of(session))).Secret
}
