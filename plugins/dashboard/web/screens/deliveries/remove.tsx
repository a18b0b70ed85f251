import { FormDialog } from '../../forms/form-dialog.tsx'
import { removeWebhook } from '../../parts/webhooks.ts'
import { t } from '../../text.ts'
import type { WebhookDialogProps } from './test.tsx'

/** Removes a webhook after saying what is lost. */
export function RemoveDialog({
  isOpen,
  onClose,
  webhook,
  session,
  pending,
}: WebhookDialogProps & { pending: number }) {
  return (
    <FormDialog
      title={t('deliveries.removeTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('deliveries.remove')}
      kind="danger"
      run={async () => {
        await removeWebhook(webhook, session)
        onClose()
      }}
    >
      <code>{webhook.url}</code>
      <p>{t('deliveries.removeLead', { count: pending })}</p>
      {webhook.state === 'paused' ? null : <p class="muted">{t('deliveries.removeInstead')}</p>}
    </FormDialog>
  )
}
