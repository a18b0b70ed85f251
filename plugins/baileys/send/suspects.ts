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
  /** How long a link is open before a message is tried on it that may close it; a multiple of it at later tries. */
  trialMs: number
  /** Resolves when the network has answered a ping; rejects where it does not. */
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
  /** Waits while a trial goes on; from then on the row is in flight, until the function is called that it resolves with. */
  begin(row: OutgoingRow): Promise<() => void>
  /** Sends a row with the others; a suspect one after the other, and on trial alone. `relay` writes its frame. */
  run(row: OutgoingRow, relay: Relay): Promise<() => Promise<Ack>>
  /** The link has ended and was not asked to; `isBrokenOff`: the network closed it, perhaps because of what it received. */
  ended(isBrokenOff: boolean): Promise<void>
  /** The error with which the row was given up; undefined if it was not. */
  failureOf(row: OutgoingRow): GatewayError | undefined
}

/** Resolves when the frame is handed over; what it resolves with, when the ack is there. */
type Relay = () => Promise<() => Promise<Ack>>

/** Values of `breaks`: it was in flight on a link that the network closed, with others … */
const SUSPECT = 1
/** … and then as the only suspect. Each trial that the network ends adds one. */
const ON_TRIAL = 2
const TRIALS = 3
/** A link that is closed later after the frame was written was not closed because of it. */
const VERDICT_MS = 1_000
/** How long a trial waits for the acks of other messages, which wait for it in turn. */
const ALONE_MS = 2_000

/**
 * A message that the network can't read makes it close the link, and every later link that sends the message again. A network
 * that fails closes links, too, with any message in flight: that must give up none.
 *
 * All messages in flight at such an end are suspects. Suspects are sent one after the other, while those of other chats go
 * on; the one in flight when the network closes a link again is put on trial. A trial has a control: the link has been open
 * for a while without the message, longer than the link of the trial before had lived; no other message is in flight; and a
 * ping was answered right before. If the network then closes the link within a second after the frame was written, that is
 * evidence, and at the third it is given up as failed. A link that ends in any other way, above all one that ends while the
 * message still waits for its trial, shows that links end without it: all evidence is void, and it is sent like any suspect.
 *
 * What a link has shown is written when it ends, not before a frame is sent, so that the end of the process counts against
 * no message.
 */
export function createSuspects(parts: SuspectParts): Suspects {
  const { outgoing, logFailed, trialMs, ping, settled, isGone, signal, traffic } = parts
  const queue = createSerialQueue()
  const inFlight = new Map<OutgoingRow, Promise<void>>()
  const suspects = new Set<OutgoingRow>()
  const failures = new Map<string, GatewayError>()
  let openedAt = performance.now()
  /** Resolves when the trial is over. */
  let trial: Promise<void> | undefined
  /** The message of a trial with a control, and when its frame was written. */
  let tried: { row: OutgoingRow; at: number } | undefined

  async function alone(relay: Relay): Promise<() => Promise<Ack>> {
    const answer = await relay()
    await answer().catch(() => undefined)
    return answer
  }

  /** So long into a link that the link of the trial before had not lived. */
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
        // What the end of the link rejects stays in flight: `ended` comes after the first of it.
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
