import { useSignal } from '@preact/signals'
import { api, of, textOf } from '../../api.ts'
import { Button } from '../../parts/button.tsx'
import { Copy } from '../../parts/copy.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Notice } from '../../parts/notice.tsx'
import { t, timeOf } from '../../text.ts'
import type { WebhookDialogProps } from './test.tsx'

/** A new secret, shown once; for a day the old one also signs. */
export function SecretDialog({ isOpen, onClose, webhook, session }: WebhookDialogProps) {
  const made = useSignal<{ Secret: string; OldSecretUntil: string } | undefined>(undefined)
  const error = useSignal('')

  async function rotate(): Promise<void> {
    error.value = ''
    try {
      made.value = webhook.isGlobal
        ? await api.post('/webhook/global/secret', { Id: webhook.id })
        : await api.post('/webhook/secret', { Endpoint: webhook.id }, of(session))
    } catch (failure) {
      error.value = textOf(failure)
    }
  }
  function close(): void {
    made.value = undefined
    onClose()
  }

  const { value } = made
  const confirm = (
    <Button kind="danger" onPress={rotate}>
      {t('deliveries.secretRun')}
    </Button>
  )
  return (
    <Dialog
      title={t('deliveries.secret')}
      isOpen={isOpen}
      onClose={close}
      {...(value ? {} : { actions: confirm })}
    >
      <code>{webhook.url}</code>
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      {value ? (
        <>
          <Notice kind="good">{t('deliveries.secretMade', { until: timeOf(value.OldSecretUntil) })}</Notice>
          <Copy text={value.Secret} isBlock />
        </>
      ) : (
        <p>{t('deliveries.secretLead')}</p>
      )}
    </Dialog>
  )
}
