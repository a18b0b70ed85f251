import { INTRO } from './noise.ts'

/** The largest value of the three-byte length field. */
export const MAX_FRAME_BYTES = 2 ** 24 - 1

/**
 * Splits a byte stream into frames: a three-byte length, then the payload. Frames may span WebSocket messages.
 *
 * @param maxBytes size of the largest frame; the reader throws on a larger one.
 */
export function createFrameReader(
  onFrame: (frame: Buffer) => void,
  maxBytes: () => number,
): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0)
  let isIntroRead = false
  return (data) => {
    rest = rest.length === 0 ? data : Buffer.concat([rest, data])
    if (!isIntroRead) {
      const start = afterIntro(rest)
      if (start === undefined) return
      rest = rest.subarray(start)
      isIntroRead = true
    }
    while (rest.length >= 3) {
      const size = rest.readUIntBE(0, 3)
      if (size > maxBytes()) throw new Error(`frame of ${size} bytes`)
      if (rest.length < size + 3) return
      const frame = rest.subarray(3, size + 3)
      rest = rest.subarray(size + 3)
      onFrame(frame)
    }
  }
}

export function toFrame(payload: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(payload.length + 3)
  frame.writeUIntBE(payload.length, 0, 3)
  frame.set(payload, 3)
  return frame
}

/** The offset of the first frame: after "WA" 6 3, which routing information ("ED") may precede. */
function afterIntro(data: Buffer): number | undefined {
  let at = 0
  if (data.subarray(0, 2).toString('latin1') === 'ED') {
    if (data.length < 7) return undefined
    at = 7 + data.readUIntBE(4, 3)
  }
  if (data.length < at + INTRO.length) return undefined
  const intro = data.subarray(at, at + INTRO.length)
  if (intro.equals(INTRO)) return at + INTRO.length
  if (!intro.subarray(0, -1).equals(INTRO.subarray(0, -1)))
    throw new Error('the client does not speak this protocol')
  // Other versions of binary stanzas use other dictionaries.
  throw new Error(`dictionary version ${intro.at(-1)} is not supported, only ${INTRO.at(-1)}`)
}
