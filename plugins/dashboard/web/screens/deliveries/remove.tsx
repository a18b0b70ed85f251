import { useSignal } from '@preact/signals'
import { textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
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
  const error = useSignal('')

  async function remove(): Promise<void> {
    error.value = ''
    try {
      await removeWebhook(webhook, session)
      onClose()
    } catch (failure) {
      error.value = textOf(failure)
    }
  }

  return (
    <Dialog
      title={t('deliveries.removeTitle')}
      isOpen={isOpen}
      onClose={onClose}
      actions={
        <Button kind="danger" onPress={remove}>
          {t('deliveries.remove')}
        </Button>
      }
    >
      <code>{webhook.url}</code>
      <p>{t('deliveries.removeLead', { count: pending })}</p>
      {webhook.state === 'paused' ? null : <p class="muted">{t('deliveries.removeInstead')}</p>}
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
    </Dialog>
  )
}
