import { Ago } from '../../parts/ago.tsx'
import { Badge, type Tone } from '../../parts/badge.tsx'
import { DataLink } from '../../parts/link.tsx'
import { Moment } from '../../parts/moment.tsx'
import { numberOf, t, textFor } from '../../text.ts'

interface Attempt {
  readonly Attempt: number
  readonly At: string
  readonly Milliseconds: number
  readonly Accepted: boolean
  readonly Status: string
  readonly Answer: string
}

interface Delivery {
  readonly Endpoint: string
  readonly URL: string
  readonly State: string
  readonly NextAt: string
  readonly Attempts: readonly Attempt[]
}

const TONES: Readonly<Record<string, Tone>> = { done: 'good', pending: 'warn', dead: 'bad' }

/** Each webhook of the event, with its attempts. */
export function DeliverySteps({ deliveries }: { deliveries: readonly Delivery[] }) {
  if (deliveries.length === 0) return <p class="muted">{t('message.noDeliveries')}</p>
  return (
    <>
      {deliveries.map(({ Endpoint, URL, State, NextAt, Attempts }) => (
        <div key={Endpoint} class="stack-tight">
          <div class="row">
            <StateBadge state={State} />
            <DataLink href={URL} />
          </div>
          <AttemptList attempts={Attempts} />
          {State === 'pending' && NextAt ? (
            <p class="hint">
              {t('message.next')} <Ago at={NextAt} />
            </p>
          ) : null}
        </div>
      ))}
    </>
  )
}

export function StateBadge({ state }: { state: string }) {
  return <Badge tone={TONES[state] ?? 'neutral'}>{textFor('deliveries', `state_${state}`) ?? state}</Badge>
}

export function AttemptList({ attempts }: { attempts: readonly Attempt[] }) {
  if (attempts.length === 0) return <p class="hint">{t('message.noAttempts')}</p>
  return (
    <ol class="steps">
      {attempts.map(({ Attempt, At, Accepted, Status, Milliseconds, Answer }) => (
        <li key={At} class={`step step-${Accepted ? 'good' : 'bad'}`}>
          <div class="step-line">
            <strong>
              {Attempt}. {Status}
            </strong>
            <span class="mono">
              <Moment at={At} to="milliseconds" />
            </span>
            <span class="muted">{numberOf(Milliseconds)} ms</span>
          </div>
          {Answer ? <pre class="answer">{Answer}</pre> : null}
        </li>
      ))}
    </ol>
  )
}
