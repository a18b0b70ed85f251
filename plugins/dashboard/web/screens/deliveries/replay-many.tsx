import { useSignal } from '@preact/signals'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { localTime } from '../../forms/time-range.tsx'
import { Field } from '../../parts/field.tsx'
import { Notice } from '../../parts/notice.tsx'
import { type Replay, replay } from '../../parts/webhooks.ts'
import { t } from '../../text.ts'
import type { WebhookDialogProps } from './test.tsx'

type What = 'dead' | 'deadSince' | 'missing' | 'all'

const CHOICES: readonly What[] = ['dead', 'deadSince', 'missing', 'all']

/** Redelivers many events. The effect is described above the button, and must be confirmed if it repeats events. */
export function ReplayManyDialog({
  isOpen,
  onClose,
  webhook,
  session,
  dead,
}: WebhookDialogProps & { dead: number }) {
  const what = useSignal<What>('dead')
  const since = useSignal(localTime(Date.now() - 3_600_000))
  const isSure = useSignal(false)
  const count = useSignal<number | undefined>(undefined)
  const mustConfirm = what.value === 'all' || what.value === 'missing'

  async function run(): Promise<void> {
    count.value = undefined
    count.value = await replay(webhook, session, requestOf(what.value, since.value))
    isSure.value = false
  }

  return (
    <FormDialog
      title={t('deliveries.replayTitle')}
      isOpen={isOpen}
      onClose={onClose}
      submit={t('deliveries.replayTitle')}
      kind={mustConfirm ? 'danger' : 'primary'}
      isReady={!mustConfirm || isSure.value}
      run={run}
    >
      <code>{webhook.url}</code>
      <fieldset class="stack-tight">
        <legend class="label">{t('deliveries.replayWhat')}</legend>
        {CHOICES.map((one) => (
          <label key={one}>
            <input
              type="radio"
              name="replay"
              checked={what.value === one}
              onChange={() => (what.value = one)}
            />{' '}
            {t(`deliveries.replay_${one}`, one === 'dead' ? { dead } : {})}
          </label>
        ))}
      </fieldset>
      {what.value === 'dead' ? null : (
        <Field label={t('deliveries.since')}>
          {(ties) => (
            <input
              {...ties}
              type="datetime-local"
              value={since.value}
              required
              onInput={({ currentTarget }) => (since.value = currentTarget.value)}
            />
          )}
        </Field>
      )}
      {mustConfirm ? (
        <Notice kind="warn">
          <label>
            <input
              type="checkbox"
              checked={isSure.value}
              onChange={({ currentTarget }) => (isSure.value = currentTarget.checked)}
            />{' '}
            {t(what.value === 'all' ? 'deliveries.confirmAll' : 'deliveries.confirmMissing')}
          </label>
        </Notice>
      ) : null}
      {count.value === undefined ? null : (
        <Notice kind="good">{t('deliveries.replayed', { count: count.value })}</Notice>
      )}
    </FormDialog>
  )
}

function requestOf(what: What, since: string): Replay {
  if (what === 'dead') return { State: 'dead' }
  const Since = new Date(since).toISOString()
  if (what === 'deadSince') return { State: 'dead', Since }
  return what === 'missing' ? { State: 'dead', Since, Missing: true } : { Since }
}
