import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'

/*
 * A file as chunks of AES-256-GCM, so that each is verified before it is passed on (the STREAM construction, as in age and
 * Tink): the nonce is the number of the chunk and whether it is the last one, under a key that no other file has. Chunks
 * can't be changed, moved, left out or cut off at the end.
 */

const CHUNK_BYTES = 64 * 1024
const TAG_BYTES = 16
const CIPHER = 'aes-256-gcm'

export const newFileKey = (): Buffer => randomBytes(32)

/** Ends with the error of `plain`, if it has one. */
export function sealed(plain: Readable, key: Buffer): Readable {
  return through(plain, CHUNK_BYTES, (chunk, index, isLast) => {
    const cipher = createCipheriv(CIPHER, key, nonceOf(index, isLast))
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  })
}

/** Ends with an error where the file is not as it was sealed. */
export function opened(stored: Readable, key: Buffer): Readable {
  return through(stored, CHUNK_BYTES + TAG_BYTES, (chunk, index, isLast) => {
    if (chunk.length < TAG_BYTES) throw new Error('a stored file was cut off')
    const decipher = createDecipheriv(CIPHER, key, nonceOf(index, isLast), { authTagLength: TAG_BYTES })
    decipher.setAuthTag(chunk.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(chunk.subarray(0, -TAG_BYTES)), decipher.final()])
  })
}

function nonceOf(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(index, 7)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

type Convert = (chunk: Buffer, index: number, isLast: boolean) => Buffer

/** Cuts a stream into chunks of one size, of which the last may be shorter, and converts each. */
function through(source: Readable, size: number, convert: Convert): Readable {
  async function* chunks(): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0)
    let index = 0
    for await (const part of source) {
      rest = Buffer.concat([rest, part as Buffer])
      // A full chunk may be the last one, which is known when more comes.
      for (; rest.length > size; index += 1) {
        yield convert(rest.subarray(0, size), index, false)
        rest = rest.subarray(size)
      }
    }
    yield convert(rest, index, true)
  }
  const result = Readable.from(chunks(), { objectMode: false })
  // A reader that goes away ends the source as well.
  result.once('close', () => source.destroy())
  return result
}
