import { gatewayError, type Peers, withTimeout } from 'wamux/plugin'
import { keptRefusal } from '../protocol/refusal.ts'
import type { Sent } from '../sdk.ts'
import type { Outgoing } from '../store/outgoing.ts'

interface OutcomeWaitParts {
  session: string
  outgoing: Outgoing
  peers: Peers
}

/** Waits for the outcome of a stored message that another process sends; at most `ms` once that has begun. */
export type OutcomeWait = (id: string, ms?: number) => Promise<Sent>

/** Topic: one of these messages has its outcome. */
export const outcomeTopic = (session: string, id: string): string => `baileys.outcome ${session} ${id}`

/** How long a message may wait until a process begins to send it: longer than a take-over of the session. */
const ADOPTION_MS = 25_000
/** How long its outcome is awaited; the pace may delay the send. */
const OUTCOME_MS = 120_000
/** Notifications can be lost, so the row is also polled. */
const POLL_MS = 500

export function createOutcomeWait({ session, outgoing, peers }: OutcomeWaitParts): OutcomeWait {
  return async (id, ms = OUTCOME_MS) => {
    const began = performance.now()
    let wake = (): void => undefined
    const unlisten = peers.listen(outcomeTopic(session, id), () => wake())
    try {
      for (;;) {
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        const row = await outgoing.find(id)
        if (!row) throw gatewayError('NO_CLIENT', [], { details: 'the session was unlinked' })
        const { state, chat, timestamp, error } = row
        if (state === 'acked') return { id, chat, timestamp }
        if (state === 'failed' || state === 'unknown') throw keptRefusal(error)
        if (performance.now() - began > (state === 'queued' ? ADOPTION_MS : ms))
          throw gatewayError('NETWORK_SILENT', [], {
            details: 'the message is stored and will be sent when the session is connected',
          })
        await withTimeout(woken, POLL_MS, () => undefined)
      }
    } finally {
      unlisten()
    }
  }
}
