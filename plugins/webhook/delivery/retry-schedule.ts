import type { WebhookConfig } from '../config.ts'
import type { Delivery } from './delivery.ts'

/** The position of a failed delivery in the schedule; `nextAt` is undefined after the last attempt. */
export interface NextAttempt {
  readonly step: number
  readonly nextAt: number | undefined
}

/**
 * The time of the next attempt, milliseconds since 1970. An attempt before its scheduled time (made because the host
 * had just recovered) does not advance the schedule: an unstable host must not exhaust all attempts within minutes.
 */
export function scheduleRetry(
  { retrySeconds }: Pick<WebhookConfig, 'retrySeconds'>,
  { step, nextAt }: Pick<Delivery, 'step' | 'nextAt'>,
  { now, after = 0, random }: { now: number; after?: number | undefined; random: number },
): NextAttempt {
  if (nextAt > now) return { step, nextAt: Math.max(nextAt, now + after) }
  const seconds = retrySeconds[step]
  if (seconds === undefined) return { step, nextAt: undefined }
  const jittered = seconds * 1000 * (0.8 + 0.4 * random)
  // Whole milliseconds: PostgreSQL rejects a fraction for a bigint.
  return { step: step + 1, nextAt: now + Math.round(Math.max(after, jittered)) }
}
