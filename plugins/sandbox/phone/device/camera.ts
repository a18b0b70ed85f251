import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { gatewayError, reasonOf } from 'wamux/plugin'

/** The content of a companion's QR code. */
export interface LinkQr {
  ref: string
  noiseKey: Buffer
  identity: Buffer
  advSecret: Buffer
}

/** Reads a QR code from a picture (PNG data URL), or the text of a code. */
export function readQr(picture: string): LinkQr {
  return parse(picture.startsWith('data:') ? decode(picture) : picture)
}

function decode(dataUrl: string): string {
  const comma = dataUrl.indexOf(',')
  let image: PNG
  try {
    image = PNG.sync.read(Buffer.from(dataUrl.slice(comma + 1), 'base64'))
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', ['QRCode', `it is not a PNG image (${reasonOf(cause)})`], { cause })
  }
  const code = jsQR.default(new Uint8ClampedArray(image.data), image.width, image.height)
  if (!code) throw gatewayError('FIELD_INVALID', ['QRCode', 'the image contains no QR code'])
  return code.data
}

/** `https://wa.me/settings/linked_devices#ref,noise,identity,secret,platform`; older clients show only the list. */
function parse(text: string): LinkQr {
  const list = text.slice(text.indexOf('#') + 1).split(',')
  const [ref = '', ...keys] = list
  const [noiseKey, identity, advSecret] = keys.slice(0, 3).map((key) => Buffer.from(key, 'base64'))
  if (noiseKey?.length !== 32 || identity?.length !== 32 || advSecret?.length !== 32) {
    throw gatewayError('FIELD_INVALID', ['QRCode', 'the code does not link a device'])
  }
  return {
    ref,
    noiseKey,
    identity,
    advSecret,
  }
}
