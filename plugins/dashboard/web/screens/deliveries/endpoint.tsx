import { useSignal } from '@preact/signals'
import { Ago } from '../../parts/ago.tsx'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import type { Webhook } from '../../parts/webhooks.ts'
import { numberOf, t, textFor } from '../../text.ts'
import { Bar, type Recent } from './bar.tsx'
import { RecoverDialog } from './recover.tsx'
import { SecretDialog } from './secret.tsx'
import { TestDialog } from './test.tsx'

export interface Health {
  readonly Breaker: string
  readonly BreakerUntil: string
  readonly Pending: number
  readonly OldestPending: string
  readonly NextAt: string
  readonly Dead: number
  readonly Recent: readonly Recent[]
}

export interface EndpointCardProps {
  webhook: Webhook
  health: Health | undefined
  session: string
  /** Address of its deliveries. */
  href: string
  isChosen: boolean
  onChange(): Promise<void>
}

const TONES: Readonly<Record<string, Tone>> = { active: 'good', disabled: 'bad', gone: 'bad' }
const BREAKER_TONES: Readonly<Record<string, Tone>> = { open: 'bad', 'half-open': 'warn' }

/** One webhook: its state in words, its last deliveries, and the actions. */
export function EndpointCard(props: EndpointCardProps) {
  const { webhook, health, session, href, isChosen, onChange } = props
  const dialog = useSignal<'' | 'test' | 'recover' | 'secret'>('')
  const close = (): void => {
    dialog.value = ''
    void onChange()
  }
  const parts = { webhook, session, onClose: close }
  return (
    <li class={isChosen ? 'card endpoint endpoint-chosen' : 'card endpoint'}>
      <div class="row">
        <a href={href} class="endpoint-url" aria-current={isChosen ? 'true' : undefined}>
          {webhook.url}
        </a>
        <Badge tone={TONES[webhook.state] ?? 'neutral'}>
          {textFor('deliveries', `endpoint_${webhook.state}`) ?? webhook.state}
        </Badge>
        {health && health.Breaker !== 'closed' ? (
          <Badge tone={BREAKER_TONES[health.Breaker] ?? 'neutral'}>
            {textFor('deliveries', `breaker_${health.Breaker}`) ?? health.Breaker}
          </Badge>
        ) : null}
      </div>
      <p class="muted">{webhook.subscribe.join(', ')}</p>
      <p class="muted endpoint-format">
        {t('deliveries.format')}: {webhook.format}
        {webhook.edits === 'native' ? null : ` · ${textFor('deliveries', `edits_${webhook.edits}`)}`}
      </p>
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
            {health.BreakerUntil ? (
              <>
                <dt>{t('deliveries.probe')}</dt>
                <dd>
                  <Ago at={health.BreakerUntil} />
                </dd>
              </>
            ) : health.NextAt ? (
              <>
                <dt>{t('deliveries.next')}</dt>
                <dd>
                  <Ago at={health.NextAt} />
                </dd>
              </>
            ) : null}
          </dl>
        </>
      ) : null}
      <div class="actions">
        <Button onPress={() => (dialog.value = 'test')}>{t('deliveries.test')}</Button>
        <Button onPress={() => (dialog.value = 'recover')}>{t('deliveries.recover')}</Button>
        <Button onPress={() => (dialog.value = 'secret')}>{t('deliveries.secret')}</Button>
      </div>
      <TestDialog isOpen={dialog.value === 'test'} {...parts} />
      <RecoverDialog isOpen={dialog.value === 'recover'} dead={health?.Dead ?? 0} {...parts} />
      <SecretDialog isOpen={dialog.value === 'secret'} {...parts} />
    </li>
  )
}

function Since({ at }: { at: string }) {
  return (
    <span class="muted">
      (<Ago at={at} />)
    </span>
  )
}
