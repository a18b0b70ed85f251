import { failpoint, gatewayError } from 'wamux/plugin'
import type { RawSocket } from './internals.ts'
import type { Send } from './stage.ts'

export interface FrameWriterParts {
  /** Whether this process may still act for the session. */
  isHeld(): boolean
  /** Ends the link: the session was lost and nothing was written. */
  onFailure(error: unknown): void
}

/**
 * Writes all frames released in one tick with one system call. Immediately before, it checks that the session is still
 * held: between the release of a frame and its write the process may have been stopped or blocked.
 */
export function createFrameWriter(socket: RawSocket, { isHeld, onFailure }: FrameWriterParts): Send {
  const send = socket.send.bind(socket)
  let released: Uint8Array[] = []

  function write(): void {
    const frames = released
    released = []
    if (!isHeld()) return onFailure(gatewayError('FENCED'))
    const { _socket: stream } = socket
    stream?.cork()
    for (const frame of frames) send(frame)
    stream?.uncork()
    for (const _ of frames) failpoint('after:frame')
  }

  return (frame) => {
    failpoint('before:frame')
    if (released.push(frame) === 1) process.nextTick(write)
  }
}
