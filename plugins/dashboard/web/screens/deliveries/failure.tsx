import { useSignal } from '@preact/signals'
import { textOf } from '../../api.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Moment, momentOf } from '../../parts/moment.tsx'
import { Notice } from '../../parts/notice.tsx'
import { replay } from '../../parts/webhooks.ts'
import { to } from '../../shell/navigate.ts'
import { numberOf, t } from '../../text.ts'
import { errorText } from './condition.ts'
import { placeOf } from './place.ts'
import type { FailureList } from './read-failures.ts'

type Group = FailureList['Failures'][number]

export interface FailureCardProps {
  group: Group
  /** What the group was counted over: a replay covers the same. */
  span: { readonly Since: string; readonly Until: string }
  onChange(): Promise<void>
}

const NAMED = 3

/** A receiver and an error: how often, when, for which sessions, the newest events, and a button that replays the rest. */
export function FailureCard({ group, span, onChange }: FailureCardProps) {
  const { URL, Error: error, Attempts, Events, Undelivered, First, Last, Counts, Webhooks, Examples } = group
  const outcome = useSignal<{ text: string; isBad: boolean } | undefined>(undefined)

  async function run(): Promise<void> {
    outcome.value = undefined
    let count = 0
    try {
      for (const { Endpoint, Session, Undelivered: left } of Webhooks)
        if (left > 0)
          count += await replay({ id: Endpoint, isGlobal: !Session }, Session, { Error: error, ...span })
      outcome.value = { text: t('deliveries.replayed', { count }), isBad: false }
    } catch (failure) {
      const done = count > 0 ? ` ${t('deliveries.replayed', { count })}` : ''
      outcome.value = { text: `${textOf(failure)}${done}`, isBad: true }
    }
    await onChange()
  }

  return (
    <li class="card failure">
      <div class="failure-head">
        <Badge tone="bad">{errorText(error)}</Badge>
        <a class="endpoint-url" href={hrefOf(group)}>
          {URL}
        </a>
        <span class="muted">{namesOf(group)}</span>
      </div>
      <div class="failure-body">
        <div class="stack-tight">
          <p>
            {t('deliveries.failureCount', { count: Attempts })} ·{' '}
            {t('deliveries.eventCount', { count: Events })}
          </p>
          <p class="muted">
            <Moment at={First} />
            {momentOf(First) === momentOf(Last) ? null : (
              <>
                {' – '}
                <Moment at={Last} />
              </>
            )}
          </p>
          <p class="failure-examples">
            {Examples.map(({ Id, Type, Session, At }) => (
              <a key={Id} href={to(`/events?${new URLSearchParams({ session: Session, event: Id })}`)}>
                {Type} <Moment at={At} />
              </a>
            ))}
          </p>
        </div>
        <Counts24 counts={Counts} />
        <div class="failure-action">
          {Undelivered > 0 ? (
            <Button kind="primary" onPress={run}>
              {t('deliveries.replayThese', { count: Undelivered })}
            </Button>
          ) : (
            <Badge tone="good">{t('deliveries.allDelivered')}</Badge>
          )}
        </div>
      </div>
      {outcome.value ? (
        <Notice kind={outcome.value.isBad ? 'bad' : 'good'}>{outcome.value.text}</Notice>
      ) : null}
    </li>
  )
}

const STEP = 8
const HEIGHT = 40

/** Failures over the range, the newest on the right. */
function Counts24({ counts }: { counts: readonly number[] }) {
  const most = Math.max(1, ...counts)
  const width = counts.length * STEP
  return (
    <svg
      class="failure-bar"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('deliveries.overTime', { most: numberOf(most) })}
    >
      {counts.map((count, at) => {
        const height = count === 0 ? 1 : Math.max(4, Math.round((count / most) * HEIGHT))
        return (
          <rect
            key={at}
            class={count === 0 ? 'failure-none' : 'failure-some'}
            x={at * STEP}
            y={HEIGHT - height}
            width={STEP - 2}
            height={height}
          />
        )
      })}
    </svg>
  )
}

function namesOf({ Webhooks, Count }: Group): string {
  const names = Webhooks.slice(0, NAMED)
    .map(({ Session, Name }) => (Session ? Name || Session : t('deliveries.global')))
    .join(', ')
  return Count > NAMED ? t('deliveries.andMore', { names, count: Count - NAMED }) : names
}

function hrefOf({ Webhooks: [first] }: Group): string {
  return to(`/deliveries?${placeOf(first?.Session ?? '', first?.Endpoint ?? '')}`)
}
