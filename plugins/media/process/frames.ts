import type { Readable, Writable } from 'node:stream'

/** What the gateway and a worker tell each other: JSON values and buffers, by name. */
export type FrameFields = Readonly<Record<string, unknown>>

interface Head {
  readonly fields: FrameFields
  /** Name and length of the buffers that follow, in their order. */
  readonly buffers: readonly (readonly [string, number])[]
}

const LENGTH_BYTES = 4
const MAX_HEAD_BYTES = 65_536

/**
 * Writes one frame: the length of the head (4 bytes, big-endian), the head (JSON), then the buffers, which are not copied.
 * Node's own channel between processes copies them several times on each side.
 */
export function writeFrame(to: Writable, all: FrameFields): void {
  const entries = Object.entries(all)
  const buffers = entries.flatMap(([name, value]) => (Buffer.isBuffer(value) ? [[name, value] as const] : []))
  const fields = Object.fromEntries(entries.filter(([, value]) => !Buffer.isBuffer(value)))
  const head = {
    fields,
    buffers: buffers.map(([name, { length }]) => [name, length] as const),
  } satisfies Head
  const json = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(json.length)
  to.cork()
  for (const part of [length, json, ...buffers.map(([, buffer]) => buffer)]) to.write(part)
  to.uncork()
}

/**
 * Reads frames until the stream ends. A malformed one, or one with more than `maxBytes`, destroys the stream.
 *
 * @param take called with each frame.
 */
export function readFrames(
  from: Readable,
  maxBytes: number,
  take: (fields: Record<string, unknown>) => void,
): void {
  const parser = parse(maxBytes, take)
  let wanted = parser.next().value ?? 0
  let chunks: Buffer[] = []
  let size = 0
  from.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    try {
      while (size >= wanted) {
        // Joined only when it is complete: once for each part, however many chunks it came in.
        const [first = chunk, ...others] = chunks
        const all = others.length === 0 ? first : Buffer.concat(chunks)
        chunks = [all.subarray(wanted)]
        size -= wanted
        wanted = parser.next(all.subarray(0, wanted)).value ?? 0
      }
    } catch (error) {
      from.destroy(error as Error)
    }
  })
}

/** Yields the number of bytes that it needs next. */
function* parse(
  maxBytes: number,
  take: (fields: Record<string, unknown>) => void,
): Generator<number, never, Buffer> {
  for (;;) {
    const length = (yield LENGTH_BYTES).readUInt32BE()
    if (length > MAX_HEAD_BYTES) throw new Error('the head of the frame is too long')
    const { fields, buffers } = JSON.parse((yield length).toString()) as Head
    const total = buffers.reduce((sum, [, bytes]) => sum + bytes, 0)
    if (!(total <= maxBytes)) throw new Error('the frame is too long')
    const body = yield total
    const all: Record<string, unknown> = { ...fields }
    let at = 0
    for (const [name, bytes] of buffers) {
      all[name] = body.subarray(at, at + bytes)
      at += bytes
    }
    take(all)
  }
}
