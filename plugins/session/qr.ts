/** A QR text as a PNG data URL, in the size that dashboards of this family expect. */
export async function qrPicture(text: string): Promise<string> {
  // Loaded when a first code is shown: most starts show none.
  const { toDataURL } = await import('qrcode')
  return toDataURL(text, { type: 'image/png', width: 256, margin: 2, errorCorrectionLevel: 'L' })
}
