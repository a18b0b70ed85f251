import type { Tone } from '../../parts/badge.tsx'
import { momentOf } from '../../parts/moment.tsx'
import type { Webhook } from '../../parts/webhooks.ts'
import { t, textFor } from '../../text.ts'
import type { Recent } from './bar.tsx'

export interface EndpointCondition {
  readonly Breaker: string
  readonly BreakerUntil: string
  readonly Pending: number
  readonly OldestPending: string
  readonly NextAt: string
  readonly Dead: number
  readonly LastError: string
  readonly Recent: readonly Recent[]
}

interface Condition {
  readonly tone: Tone
  readonly text: string
}

/** A delivery that waits this long waits for a reason. */
const WAITING_MS = 60_000

/** What is wrong with a webhook and since when; green only for one that delivers. */
export function conditionOf(
  { state, failingSince }: Pick<Webhook, 'state' | 'failingSince'>,
  health: EndpointCondition | undefined,
): Condition {
  const count = health?.Pending ?? 0
  const waiting = count > 0 ? `, ${t('deliveries.waitingCount', { count })}` : ''
  const named = textFor('deliveries', `endpoint_${state}`) ?? state
  if (state === 'paused') return { tone: 'neutral', text: `${named}${waiting}` }
  if (state !== 'active') return { tone: 'bad', text: `${named}${waiting}` }
  if (failingSince) {
    const error = health?.LastError ? errorText(health.LastError) : t('deliveries.failing')
    const since = t('deliveries.errorSince', { error, since: momentOf(failingSince) })
    return { tone: 'bad', text: `${since}${waiting}` }
  }
  const { Breaker = 'closed', OldestPending = '', Recent = [] } = health ?? {}
  if (Breaker !== 'closed')
    return { tone: 'warn', text: `${textFor('deliveries', `breaker_${Breaker}`) ?? Breaker}${waiting}` }
  if (OldestPending && Date.now() - Date.parse(OldestPending) > WAITING_MS)
    return { tone: 'warn', text: t('deliveries.waitingSince', { count, since: momentOf(OldestPending) }) }
  const dead = Recent.filter((one) => one.State === 'dead').length
  if (dead > 0) return { tone: 'warn', text: t('deliveries.recentDead', { count: dead }) }
  return { tone: 'good', text: named }
}

/** `status 401` as the number that people look for. */
export function errorText(error: string): string {
  return error.replace(/^status (?=\d{3}\b)/, '')
}
