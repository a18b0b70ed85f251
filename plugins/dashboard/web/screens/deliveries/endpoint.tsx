import { useSignal } from '@preact/signals'
import { textOf } from '../../api.ts'
import { FormDialog } from '../../forms/form-dialog.tsx'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Notice } from '../../parts/notice.tsx'
import { removeWebhook, saveWebhook, type Webhook } from '../../parts/webhooks.ts'
import { to } from '../../shell/navigate.ts'
import { numberOf, t, textFor } from '../../text.ts'
import { Bar } from './bar.tsx'
import { conditionOf, type EndpointCondition } from './condition.ts'
import { placeOf } from './place.ts'
import { ReplayManyDialog } from './replay-many.tsx'
import { SecretDialog } from './secret.tsx'
import { TestDialog, type WebhookDialogProps } from './test.tsx'

export interface EndpointCardProps {
  webhook: Webhook
  health: EndpointCondition | undefined
  session: string
  isChosen: boolean
  onChange(): Promise<void>
}

/** One webhook: its state in words, its last deliveries, and the actions. */
export function EndpointCard({ webhook, health, session, isChosen, onChange }: EndpointCardProps) {
  const dialog = useSignal<'' | 'test' | 'replay' | 'secret' | 'remove'>('')
  const error = useSignal('')
  const close = (): void => {
    dialog.value = ''
    void onChange()
  }
  const parts = { webhook, session, onClose: close }
  const condition = conditionOf(webhook, health)
  const isPaused = webhook.state === 'paused'

  async function pause(Paused: boolean): Promise<void> {
    error.value = ''
    try {
      await saveWebhook(session, webhook.id, webhook.url, { Paused })
    } catch (failure) {
      error.value = textOf(failure)
    }
    await onChange()
  }

  return (
    <li class={isChosen ? 'card endpoint endpoint-chosen' : 'card endpoint'}>
      <div class="endpoint-head">
        <a
          href={to(`/deliveries?${placeOf(session, webhook.id)}`)}
          class="endpoint-url"
          aria-current={isChosen ? 'true' : undefined}
        >
          {webhook.url}
        </a>
        <Badge tone={condition.tone}>{condition.text}</Badge>
      </div>
      <p class="muted endpoint-format">{summaryOf(webhook)}</p>
      {webhook.reason ? <p class="hint-bad">{webhook.reason}</p> : null}
      {health ? (
        <>
          <Bar recent={health.Recent} />
          <dl class="facts endpoint-facts">
            <dt>{t('deliveries.pending')}</dt>
            <dd>
              {numberOf(health.Pending)} {health.OldestPending ? <Since at={health.OldestPending} /> : null}
            </dd>
            <dt>{t('deliveries.dead')}</dt>
            <dd>{numberOf(health.Dead)}</dd>
            <Planned health={health} />
          </dl>
        </>
      ) : null}
      {error.value ? <Notice kind="bad">{error.value}</Notice> : null}
      <div class="actions endpoint-actions">
        {webhook.isFixed ? null : (
          <a class="button" href={to(`/deliveries/edit?${placeOf(session, webhook.id)}`)}>
            {t('deliveries.edit')}
          </a>
        )}
        <Button onPress={() => (dialog.value = 'test')}>{t('deliveries.test')}</Button>
        <Button onPress={() => (dialog.value = 'replay')}>{t('deliveries.replayTitle')}…</Button>
        {webhook.isFixed ? (
          <p class="hint">{t('deliveries.fixed')}</p>
        ) : (
          <>
            <Button onPress={() => pause(!isPaused)}>
              {t(isPaused ? 'deliveries.resume' : 'deliveries.pause')}
            </Button>
            <Button onPress={() => (dialog.value = 'secret')}>{t('deliveries.secret')}</Button>
            <Button kind="danger" onPress={() => (dialog.value = 'remove')}>
              {t('deliveries.remove')}
            </Button>
          </>
        )}
      </div>
      <TestDialog isOpen={dialog.value === 'test'} {...parts} />
      <ReplayManyDialog isOpen={dialog.value === 'replay'} dead={health?.Dead ?? 0} {...parts} />
      <SecretDialog isOpen={dialog.value === 'secret'} {...parts} />
      <RemoveDialog isOpen={dialog.value === 'remove'} pending={health?.Pending ?? 0} {...parts} />
    </li>
  )
}

function summaryOf({ subscribe, format, edits, filter, headers, transform }: Webhook): string {
  const classes = subscribe.includes('All') ? t('deliveries.allClasses') : subscribe.join(', ')
  const parts = [
    classes,
    `${t('deliveries.format')}: ${format}`,
    edits === 'native' ? '' : textFor('deliveries', `edits_${edits}`),
    Object.keys(filter).length > 0 ? t('deliveries.filtered') : '',
    headers.length > 0 ? t('deliveries.headersSet', { count: headers.length }) : '',
    Object.keys(transform).length > 0 ? t('deliveries.transformed') : '',
  ]
  return parts.filter(Boolean).join(' · ')
}

function Planned({ health }: { health: EndpointCondition }) {
  const at = health.BreakerUntil || health.NextAt
  if (!at) return null
  return (
    <>
      <dt>{t(health.BreakerUntil ? 'deliveries.probe' : 'deliveries.next')}</dt>
      <dd>
        <Moment at={at} />
      </dd>
    </>
  )
}

function Since({ at }: { at: string }) {
  return (
    <span class="muted">
      ({t('deliveries.since')} <Moment at={at} />)
    </span>
  )
}

/** Removes a webhook after saying what is lost. */
function RemoveDialog({
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
