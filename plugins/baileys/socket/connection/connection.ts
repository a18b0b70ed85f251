import type { BinaryNode, WASocket } from '@whiskeysockets/baileys'
import { createInterval, type Log } from 'wamux/plugin'
import type { Traffic } from '../../traffic.ts'
import { createReadGate, type ReadGate } from '../backpressure.ts'
import { internalsOf } from '../internals.ts'

export interface ConnectionParts {
  wa: WASocket
  session: string
  /** Milliseconds between two pings. */
  keepAliveMs: number
  /** Stanzas that may wait to be handled. */
  backlog: number
  log: Log
  traffic: Traffic
}

/** The connection of a link, in both directions: what was heard on it, whether it is read, and what it says to be alive. */
export interface Connection {
  readonly gate: ReadGate
  /** `Date.now()` of the last frame; of its beginning before the first one. */
  readonly lastFrameAt: number
  close(): void
}

/** How much longer than the time between two pings the network may be silent, as for Baileys (Socket/socket.js startKeepAliveRequest). */
const GRACE_MS = 5_000

/**
 * The pings replace those of Baileys, which would end a link that is not read for a while: nothing can be heard on one, but the
 * network must hear of it all the same.
 */
export function watchConnection(parts: ConnectionParts): Connection {
  const { wa, session, keepAliveMs, log, traffic } = parts
  let lastFrameAt = Date.now()
  let unreadAt = 0
  let hasLogin = false
  const gate = createReadGate({
    most: parts.backlog,
    setPaused: (isPaused) => internalsOf(wa).socket?.[isPaused ? 'pause' : 'resume'](),
    onSlow(isSlow) {
      if (isSlow) log.warn({ session, reason: gate.slow }, 'the storage is slow')
      else log.info({ session }, 'the storage is fast enough again')
    },
    traffic,
  })

  wa.ws.on('frame', (frame: unknown) => {
    lastFrameAt = Date.now()
    // Those of the handshake, which has a deadline of its own, are bytes.
    hasLogin ||= !(frame instanceof Uint8Array)
  })

  function ping(): void {
    if (!hasLogin || !wa.ws.isOpen) return
    const now = Date.now()
    if (gate.isPaused) unreadAt = now
    // Not awaited: the answer counts as a frame, as anything else does.
    if (now - Math.max(lastFrameAt, unreadAt) <= keepAliveMs + GRACE_MS) {
      wa.query(pingOf()).catch(() => undefined)
      return
    }
    void wa.end(new Error('Connection was lost'))
    // Who is silent does not answer the end of a WebSocket either.
    internalsOf(wa).socket?.terminate()
  }
  const pings = createInterval(keepAliveMs, ping, () => undefined)
  pings.start()

  return {
    gate,
    get lastFrameAt() {
      return lastFrameAt
    },
    close() {
      gate.close()
      void pings.stop()
    },
  }
}

/** The network answers it, and nothing else happens. Baileys writes the id of a query into it. */
export function pingOf(): BinaryNode {
  const attrs = { to: 's.whatsapp.net', type: 'get', xmlns: 'w:p' }
  return { tag: 'iq', attrs, content: [{ tag: 'ping', attrs: {} }] }
}
