/** Most bytes before the first frame, apart from a tag. */
const MAX_LEAD = 65_536
/** The shortest frame of MPEG audio or ADTS. */
const MIN_FRAME = 7

/**
 * Whether MPEG audio or ADTS has two frames. Such a file is recognized only by the first eleven bits of a frame, which two
 * bytes may have by chance. Frames of one file begin with the same two bytes.
 */
export function hasFrames(bytes: Buffer): boolean {
  const begin = tagLength(bytes)
  for (let at = begin; at < Math.min(bytes.length - MIN_FRAME, begin + MAX_LEAD); at += 1)
    if (bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xe0) === 0xe0)
      return bytes.indexOf(bytes.subarray(at, at + 2), at + MIN_FRAME) >= 0
  return false
}

/** Size of an ID3v2 tag with its header, whose length has seven bits per byte. */
function tagLength(bytes: Buffer): number {
  if (bytes.length < 10 || bytes.toString('latin1', 0, 3) !== 'ID3') return 0
  return 10 + [6, 7, 8, 9].reduce((length, at) => length * 128 + ((bytes[at] ?? 0) & 0x7f), 0)
}
