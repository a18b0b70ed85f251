import { gatewayError, isGatewayError, withTimeout } from 'wamux/plugin'
import type { WebSocket } from 'ws'
import { type FollowParts, follow } from './follow.ts'
import { assertValid } from './reader.ts'

interface SocketParts extends Omit<FollowParts, 'signal'> {
  socket: WebSocket
  /** Aborted with a gateway error when the client's credentials become invalid. */
  credentials: AbortSignal
  /** Milliseconds that a client may take to receive an event, or to answer a ping. */
  slowMs: number
}

/** Application codes are 4000 plus the HTTP status of an equivalent answer. */
const CLOSE_CODES = 4_000

/**
 * Events from the log as text messages, one at a time: the next one is sent when the socket has accepted this one, so a
 * client that does not read costs one page of memory. A client that is too slow is disconnected and resumes after the seq of
 * its last event. Resolves when the socket is closed.
 */
export async function streamTo({ socket, slowMs, credentials, ...parts }: SocketParts): Promise<void> {
  const closed = new AbortController()
  socket.once('close', () => closed.abort())
  // It closes after that.
  socket.on('error', () => undefined)
  const pings = pinger(socket, slowMs)
  const signal = AbortSignal.any([closed.signal, credentials])
  try {
    for await (const event of follow({ ...parts, signal })) {
      if (event) await send(socket, JSON.stringify(event), slowMs)
      else pings.send()
    }
    assertValid(credentials)
  } catch (error) {
    if (closed.signal.aborted) return
    const { status, message } = isGatewayError(error) ? error : gatewayError('INTERNAL')
    socket.close(CLOSE_CODES + status, message.slice(0, 120))
    // A client that does not read also does not answer the close.
    setTimeout(() => socket.terminate(), slowMs).unref()
  } finally {
    pings.stop()
  }
}

async function send(socket: WebSocket, text: string, slowMs: number): Promise<void> {
  const sent = new Promise<void>((resolve, reject) => {
    socket.send(text, (error) => (error ? reject(error) : resolve()))
  })
  await withTimeout(sent, slowMs, () => drop(socket))
}

/** Without a closing handshake, which would wait behind unreceived data. */
function drop(socket: WebSocket): void {
  socket.terminate()
}

/** Disconnects a client that answers neither pings nor anything else. */
function pinger(socket: WebSocket, slowMs: number) {
  let timer: NodeJS.Timeout | undefined
  const answered = (): void => {
    clearTimeout(timer)
    timer = undefined
  }
  socket.on('pong', answered)
  return {
    send(): void {
      socket.ping()
      timer ??= setTimeout(() => drop(socket), slowMs)
    },
    stop: answered,
  }
}
