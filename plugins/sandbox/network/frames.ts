import { INTRO } from './noise.ts'

/** The client sends at most this much in one frame; more is an attack or a defect. */
const MOST = 16 * 1024 * 1024

/** Cuts a byte stream into frames: three bytes of length, then the payload. Messages split and merge freely. */
export function createFrameReader(onFrame: (frame: Buffer) => void): (data: Buffer) => void {
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
      if (size > MOST) throw new Error(`frame of ${size} bytes`)
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

/** Where frames begin: after "WA" 6 3, before which routing information ("ED") may stand. */
function afterIntro(data: Buffer): number | undefined {
  let at = 0
  if (data.subarray(0, 2).toString('latin1') === 'ED') {
    if (data.length < 7) return undefined
    at = 7 + data.readUIntBE(4, 3)
  }
  if (data.length < at + INTRO.length) return undefined
  if (!data.subarray(at, at + INTRO.length).equals(INTRO)) throw new Error('not a client of this protocol')
  return at + INTRO.length
}
