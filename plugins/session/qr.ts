import { toDataURL } from 'qrcode'

/** A QR text as a PNG data URL, as large as dashboards of this family show it. */
export function qrPicture(text: string): Promise<string> {
  return toDataURL(text, { type: 'image/png', width: 256, margin: 2, errorCorrectionLevel: 'L' })
}
