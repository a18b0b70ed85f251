import type { WASocket } from '@whiskeysockets/baileys'
import { type Log, clock as localClock } from 'wamux/plugin'
import type { Traffic } from '../../traffic.ts'
import { createReadGate, type ReadGate } from '../backpressure.ts'
import { internalsOf } from '../internals.ts'
import { answerPings, createKeepAlive, pingOf } from './keep-alive.ts'
import type { ServerClock } from './server-clock.ts'

interface ConnectionParts {
  wa: WASocket
  session: string
  clock: ServerClock
  /** Minimum time between two pings. */
  keepAliveMs: number
  /** Stanzas that may wait to be handled. */
  backlog: number
  log: Log
  traffic: Traffic
}

/** A link's connection in both directions: when it last received a frame, whether it is read, and its pings. */
export interface Connection {
  readonly gate: ReadGate
  /** `Date.now()` of the last frame; before the first one, of the start. */
  readonly lastFrameAt: number
  close(): void
}

/**
 * These pings replace those of Baileys, which would end a link that is not read for a while: nothing can be heard on it,
 * but the network must still get pings.
 */
export function watchConnection(parts: ConnectionParts): Connection {
  const { wa, session, clock, keepAliveMs, log, traffic } = parts
  // In the machine's time, so that a test that sets the clock forward makes no link silent.
  let lastFrame = Date.now() - localClock.aheadMs
  const lastFrameAt = (): number => lastFrame + localClock.aheadMs
  let unreadAt = 0
  let hasLogin = false
  const gate = createReadGate({
    most: parts.backlog,
    setPaused(isPaused) {
      unreadAt = Date.now()
      internalsOf(wa).socket?.[isPaused ? 'pause' : 'resume']()
    },
    onSlow(isSlow) {
      if (isSlow) log.warn({ session, reason: gate.slow }, 'the storage is slow')
      else log.info({ session }, 'the storage is fast enough again')
    },
    traffic,
  })

  wa.ws.on('frame', (frame: unknown) => {
    lastFrame = Date.now() - localClock.aheadMs
    // Frames of the handshake, which has its own deadline, are bytes.
    hasLogin ||= !(frame instanceof Uint8Array)
  })

  const keepAlive = createKeepAlive({
    keepAliveMs,
    ping() {
      if (!hasLogin || !wa.ws.isOpen) return false
      const sentAt = Date.now()
      const { aheadMs } = localClock
      // Not awaited: like anything else received, the reply counts as a frame.
      wa.query(pingOf()).then(
        (pong) => localClock.aheadMs === aheadMs && clock.answered(pong, sentAt),
        () => undefined,
      )
      return true
    },
    heardAt: () => (gate.isPaused ? Date.now() : Math.max(lastFrameAt(), unreadAt)),
    onSilence() {
      void wa.end(new Error('Connection was lost'))
      // A silent peer does not answer the closing handshake of a WebSocket either.
      internalsOf(wa).socket?.terminate()
    },
  })
  answerPings(wa)

  return {
    gate,
    get lastFrameAt() {
      return lastFrameAt()
    },
    close() {
      gate.close()
      keepAlive.stop()
    },
  }
}
