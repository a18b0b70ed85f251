import { useSignal } from '@preact/signals'
import { api, of } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import type { Webhook } from '../../parts/webhooks.ts'
import { numberOf, t } from '../../text.ts'

export interface WebhookDialogProps {
  isOpen: boolean
  onClose(): void
  webhook: Webhook
  session: string
}

interface Outcome {
  readonly Delivered: boolean
  readonly Details: string
  readonly Milliseconds: number
  readonly Answer: string
}

/** Sends one signed test event and shows the answer. */
export function TestDialog({ isOpen, onClose, webhook, session }: WebhookDialogProps) {
  const outcome = useSignal<Outcome | undefined>(undefined)

  async function send(): Promise<void> {
    outcome.value = undefined
    outcome.value = webhook.isGlobal
      ? await api.post('/webhook/global/test', { Id: webhook.id })
      : await api.post('/webhook/test', { Endpoint: webhook.id }, of(session))
  }

  const { value } = outcome
  return (
    <FormDialog
      title={t('deliveries.test')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('deliveries.testSend')}
      run={send}
    >
      <p>{t('deliveries.testLead')}</p>
      <code>{webhook.url}</code>
      {value ? (
        <Notice kind={value.Delivered ? 'good' : 'bad'}>
          {t(value.Delivered ? 'deliveries.testAccepted' : 'deliveries.testRefused')} {value.Details} ·{' '}
          {numberOf(value.Milliseconds)} ms
        </Notice>
      ) : null}
      {value?.Answer ? <pre class="answer">{value.Answer}</pre> : null}
    </FormDialog>
  )
}
