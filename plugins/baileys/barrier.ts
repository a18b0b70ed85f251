import type { WASocket } from '@whiskeysockets/baileys'
import { fault } from 'wamux/plugin'

interface RawSocket {
  send(data: Uint8Array, done?: (error?: Error) => void): void
}

/**
 * Holds every frame until what was written before it is committed: credentials before the answer to a
 * pairing, prekeys before their upload, plaintexts before their receipt. If the database stalls, so does
 * sending; if it fails, the link is closed with nothing more said.
 *
 * At the `ws` object itself, below Baileys' own `send`, which was captured when the socket was made
 * (Socket/socket.js sendPromise).
 *
 * @param settled resolves when the writes issued so far are committed; rejects if one failed.
 */
export function holdFrames(
  wa: WASocket,
  settled: () => Promise<void>,
  onFailure: (error: unknown) => void,
): void {
  if (fault.isStock) return
  const raw = (wa.ws as unknown as { socket: RawSocket | null }).socket
  if (!raw) throw new Error('the socket has no connection to hold')
  const send = raw.send.bind(raw)
  let tail: Promise<void> = Promise.resolve()
  let isFailed = false
  raw.send = (data, done) => {
    const committed = settled()
    tail = tail
      .then(() => committed)
      .then(() => {
        if (isFailed) return
        fault.at('before:frame')
        send(data)
        fault.at('after:frame')
      })
      .catch((error: unknown) => {
        isFailed = true
        onFailure(error)
      })
    // Queued is what a caller hears, as it is with the kernel's own buffer: were it to wait for the commit, one
    // message would be sent a commit. Who must know that a message arrived waits for its ack.
    done?.()
  }
}
