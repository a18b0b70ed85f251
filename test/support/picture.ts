import sharp from 'sharp'

/** A small JPEG as a data URL; `shade` makes them differ. */
export async function picture(shade = 120, size = 64): Promise<string> {
  const create = { width: size, height: size, channels: 3 as const, background: { r: shade, g: 80, b: 40 } }
  const jpeg = await sharp({ create }).jpeg().toBuffer()
  return `data:image/jpeg;base64,${jpeg.toString('base64')}`
}
