import { toDataURL } from 'qrcode'

/** A QR text as a PNG data URL, in the size that dashboards of this family expect. */
export function qrPicture(text: string): Promise<string> {
  return toDataURL(text, { type: 'image/png', width: 256, margin: 2, errorCorrectionLevel: 'L' })
}
