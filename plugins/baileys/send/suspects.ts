import { setTimeout as sleep } from 'node:timers/promises'
import {
  createSerialQueue,
  type GatewayError,
  type GatewaySignals,
  gatewayError,
  type RaiseOptions,
  type Write,
  withTimeout,
} from 'wamux/plugin'
import type { Outgoing, OutgoingRow } from '../store/outgoing.ts'
import type { Traffic } from '../traffic.ts'
import type { Ack } from './acks.ts'

export interface SuspectParts {
  outgoing: Outgoing
  logFailed(
    failed: GatewaySignals['message.failed'],
    writes: readonly Write[],
    options: RaiseOptions,
  ): Promise<unknown>
  /** Minimum time that a link has been open before a suspect message is tried on it; later tries wait for a multiple. */
  trialMs: number
  /** Resolves when the network has answered a ping; rejects otherwise. */
  ping(): Promise<unknown>
  /** Resolves when the frames handed over so far are written. */
  settled(): Promise<void>
  isGone(): boolean
  traffic: Traffic
  /** Aborted when the link ends. */
  signal: AbortSignal
}

/** Finds the message that makes the network close the link. */
export interface Suspects {
  /** The link is open. */
  opened(): void
  /** Waits for a running trial. The row is then in flight until the returned function is called. */
  begin(row: OutgoingRow): Promise<() => void>
  /** Sends a row: normal ones in parallel, suspects one after the other, those on trial alone. `relay` writes the frame. */
  run(row: OutgoingRow, relay: Relay): Promise<() => Promise<Ack>>
  /** The link has ended without a request; `isBrokenOff`: the network closed it, perhaps because of a frame. */
  ended(isBrokenOff: boolean): Promise<void>
  /** The error of a row that was given up; otherwise undefined. */
  failureOf(row: OutgoingRow): GatewayError | undefined
}

/** Resolves when the frame is handed over, with a function that resolves with the ack. */
type Relay = () => Promise<() => Promise<Ack>>

/** Values of `breaks`. The message was in flight, with others, on a link that the network closed. */
const SUSPECT = 1
/** It was the only suspect in flight on such a link. Each trial that the network ends adds one. */
const ON_TRIAL = 2
const TRIALS = 3
/** If the link closes later than this after the frame was written, the frame is not the cause. */
const VERDICT_MS = 1_000
/** How long a trial waits for the acks of other messages; they in turn wait for the trial. */
const ALONE_MS = 2_000

/**
 * Finds messages that the network can't read: it closes the link, and again every later link that resends the message. A
 * failing network also closes links, with any message in flight; that must not make a message fail.
 *
 * When the network closes a link, all messages in flight become suspects. Suspects are sent one after the other, while
 * other chats go on. A suspect that is in flight when the network closes a link again is put on trial. A trial is
 * controlled: the link has been open without the message for longer than at the previous trial; no other message is in
 * flight; and a ping was answered immediately before. If the network then closes the link within a second after the frame
 * was written, that is evidence; after the third time the message is given up as failed. If a link ends in any other way,
 * above all while the message still waits for its trial, links evidently end without it: all evidence is void, and it is an
 * ordinary suspect again.
 *
 * Evidence is written when the link ends, not before a frame is sent: a crash of the process counts against no message.
 */
export function createSuspects(parts: SuspectParts): Suspects {
  const { outgoing, logFailed, trialMs, ping, settled, isGone, signal, traffic } = parts
  const queue = createSerialQueue()
  const inFlight = new Map<OutgoingRow, Promise<void>>()
  const suspects = new Set<OutgoingRow>()
  const failures = new Map<string, GatewayError>()
  let openedAt = performance.now()
  /** Resolves when the running trial is over. */
  let trial: Promise<void> | undefined
  /** The message of a controlled trial, and when its frame was written. */
  let tried: { row: OutgoingRow; at: number } | undefined

  async function alone(relay: Relay): Promise<() => Promise<Ack>> {
    const answer = await relay()
    await answer().catch(() => undefined)
    return answer
  }

  /** Waits until the link is older than at the previous trial. */
  async function control({ breaks }: OutgoingRow): Promise<void> {
    const wanted = trialMs * Math.min(breaks - ON_TRIAL + 1, TRIALS)
    const ms = openedAt + wanted - performance.now()
    if (ms <= 0) return
    await sleep(ms, undefined, { signal }).catch((cause: unknown) => {
      throw gatewayError('STOPPING', [], { cause })
    })
  }

  async function onTrial(row: OutgoingRow, relay: Relay): Promise<() => Promise<Ack>> {
    const others = Promise.all(inFlight.values()).then(() => true)
    let finish = (): void => undefined
    trial = new Promise((resolve) => {
      finish = resolve
    })
    try {
      const isAlone = await withTimeout(others, ALONE_MS, () => false)
      const isAnswered = await withTimeout(
        ping().then(() => true),
        VERDICT_MS,
        () => false,
      ).catch(() => false)
      const answer = await relay()
      await settled().catch(() => undefined)
      if (isAlone && isAnswered && !isGone()) tried = { row, at: performance.now() }
      await withTimeout(
        answer().catch(() => undefined),
        VERDICT_MS,
        () => undefined,
      )
      return answer
    } finally {
      if (!isGone()) tried = undefined
      trial = undefined
      finish()
    }
  }

  async function giveUp(row: OutgoingRow): Promise<void> {
    const { id, chat, traceparent, annotations } = row
    const error = gatewayError('SEND_ABANDONED')
    failures.set(id, error)
    const { code, message: reason } = error
    const failed = { id, chat, code, reason, network: '', outcome: 'failed' as const, annotations }
    const writes = [outgoing.broken(row, ON_TRIAL + TRIALS), outgoing.ended(row, 'failed', error)]
    traffic.refused += 1
    await logFailed(failed, writes, { traceparent })
  }

  return {
    opened() {
      openedAt = performance.now()
    },
    async begin(row) {
      while (trial && !isOnTrial(row)) await trial
      let end = (): void => undefined
      const ended = new Promise<void>((resolve) => {
        end = resolve
      })
      inFlight.set(row, ended)
      return () => {
        // Rows whose sends the end of the link rejects stay in flight: `ended` runs after the first rejections.
        if (isGone()) return
        inFlight.delete(row)
        end()
      }
    },
    async run(row, relay) {
      if (row.breaks < SUSPECT) return relay()
      suspects.add(row)
      if (isOnTrial(row)) await control(row)
      const answer = await queue.run(() =>
        isOnTrial(row) ? onTrial(row, relay).then((given) => alone(async () => given)) : alone(relay),
      )
      if (!isGone()) suspects.delete(row)
      return answer
    },
    async ended(isBrokenOff) {
      const isEvidence = isBrokenOff && tried && performance.now() - tried.at <= VERDICT_MS
      if (tried && isEvidence) {
        const { row } = tried
        const breaks = Math.max(row.breaks, ON_TRIAL) + 1
        await (breaks >= ON_TRIAL + TRIALS ? giveUp(row) : outgoing.broke(row, breaks))
        return
      }
      const flying = isBrokenOff ? [...inFlight.keys()] : []
      const known = flying.filter(({ breaks }) => breaks >= SUSPECT)
      const acquitted = [...suspects].filter((row) => isOnTrial(row) && !known.includes(row))
      await Promise.all([
        ...known.map((row) => outgoing.broke(row, ON_TRIAL)),
        ...[...acquitted, ...(known.length > 0 ? [] : flying)].map((row) => outgoing.broke(row, SUSPECT)),
      ])
    },
    failureOf: ({ id }) => failures.get(id),
  }
}

function isOnTrial({ breaks }: OutgoingRow): boolean {
  return breaks >= ON_TRIAL
}
