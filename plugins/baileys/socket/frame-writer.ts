import { failpoint, gatewayError } from 'wamux/plugin'
import type { RawSocket } from './internals.ts'
import type { Send } from './stage.ts'

export interface FrameWriterParts {
  /** Whether this process may still act for the session. */
  isHeld(): boolean
  /** Ends the link: the session was lost, and nothing was written. */
  onFailure(error: unknown): void
}

/**
 * Writes the frames that are released in one turn of the event loop by one system call. Whether the session is still held is
 * asked right before it: between the release of a frame and its write the process may have been stopped or blocked.
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
