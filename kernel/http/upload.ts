import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import type { Context } from 'koa'

/** Bytes of a body whose rest is read unseen, so that the connection can serve again. */
const SMALL = 64 * 1024
/** Milliseconds that a client has to read the answer before the connection is reset. */
const LINGER_MS = 1_000

/**
 * Stops reading what a client still sends once its answer is known: the answer says `Connection: close`, and the
 * connection ends with it. To be called before the answer is written.
 */
export function stopUpload({ req, res }: Context): void {
  if (req.complete || res.headersSent || !isLarge(req.headers)) return
  res.setHeader('Connection', 'close')
  const { socket } = req
  // Node would close at once what is still being sent to: a reset, with which the answer can be lost.
  socket.destroySoon = () => linger(socket)
}

function isLarge(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > SMALL
}

function linger(socket: Socket): void {
  socket.end()
  // The request is resumed after its answer, to be read unseen: that comes first.
  setImmediate(() => socket.pause())
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
}
