import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from 'koa'

/** Up to this many remaining bytes are read and discarded, so that the connection can be reused. */
const SMALL = 64 * 1024
/** Milliseconds that a client has to read the answer before the connection is reset. */
const LINGER_MS = 1_000

/**
 * Stops reading the rest of a body once its answer is known: the answer carries `Connection: close`, and the connection ends
 * with it. Call it before the answer is written.
 */
export function stopUpload({ req, res }: Context): void {
  if (req.complete || res.headersSent || !isLarge(req.headers)) return
  res.setHeader('Connection', 'close')
  const { socket } = req
  // Node would reset a connection on which the client is still sending, and the client could lose the answer.
  socket.destroySoon = () => linger(socket)
}

function isLarge(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL
}

function linger(socket: Socket): void {
  socket.end()
  // Node resumes the request after its answer to discard the rest: the pause must come after that.
  setImmediate(() => socket.pause())
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
