/** Most of what may stand in front of the first frame, beside a tag. */
const MAX_LEAD = 65_536
/** The shortest frame of MPEG audio or ADTS. */
const MIN_FRAME = 7

/**
 * Whether MPEG audio or ADTS has two frames. Eleven bits at their beginning are all that such a file is known by: two bytes
 * can have them by chance. Frames of one file begin with the same two bytes.
 */
export function hasFrames(bytes: Buffer): boolean {
  const begin = tagLength(bytes)
  for (let at = begin; at < Math.min(bytes.length - MIN_FRAME, begin + MAX_LEAD); at += 1)
    if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0)
      return bytes.indexOf(bytes.subarray(at, at + 2), at + MIN_FRAME) >= 0
  return false
}

/** Of an ID3v2 tag with its header, whose length has seven bits a byte. */
function tagLength(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + [6, 7, 8, 9].reduce((length, at) => length * 128 + ((bytes[at] ?? 0) & 0x7f), 0)
}
