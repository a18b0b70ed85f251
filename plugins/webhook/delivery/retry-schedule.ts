import type { WebhookConfig } from '../config.ts'
import type { Delivery } from './deliveries.ts'

/** Where a failed delivery stands in the schedule; `nextAt` undefined: it was the last attempt. */
export interface NextAttempt {
  readonly step: number
  readonly nextAt: number | undefined
}

/**
 * When to try again, milliseconds since 1970. An attempt before its time (the host had just come back) uses up
 * no wait: a host that comes and goes must not drive deliveries to their end in minutes.
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
  // Whole milliseconds: PostgreSQL takes no fraction for a bigint.
  return { step: step + 1, nextAt: now + Math.round(Math.max(after, jittered)) }
}
