const SIDE = 640

/** Converts a picture to the format of group photos: an upright square cut from the centre, as JPEG. */
export async function toPhoto(bytes: Buffer, size: { width: number; height: number }): Promise<Buffer> {
  // Loaded at the first use: it takes some 30 MB.
  const { default: sharp } = await import('sharp')
  const side = Math.min(SIDE, size.width, size.height)
  const square = sharp(bytes).rotate().resize(side, side, { fit: 'cover' })
  return square.flatten({ background: '#ffffff' }).jpeg({ quality: 80 }).toBuffer()
}
