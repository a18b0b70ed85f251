import { createHash } from 'node:crypto'
import jsQR from 'jsqr'
import { PNG } from 'pngjs'
import { gatewayError, reasonOf } from 'wamux/plugin'

/** What a companion's QR code says. */
export interface LinkQr {
  ref: string
  noiseKey: Buffer
  identity: Buffer
  advSecret: Buffer
  /** Names the secret without telling it. */
  secretId: string
}

/** Reads a QR code off a picture (PNG data URL), as a phone's camera does; text is taken as it is. */
export function readQr(picture: string): LinkQr {
  return parse(picture.startsWith('data:') ? decode(picture) : picture)
}

function decode(dataUrl: string): string {
  const comma = dataUrl.indexOf(',')
  let image: PNG
  try {
    image = PNG.sync.read(Buffer.from(dataUrl.slice(comma + 1), 'base64'))
  } catch (cause) {
    throw gatewayError('FIELD_INVALID', ['QRCode', `it is no PNG picture (${reasonOf(cause)})`], { cause })
  }
  const code = jsQR.default(new Uint8ClampedArray(image.data), image.width, image.height)
  if (!code) throw gatewayError('FIELD_INVALID', ['QRCode', 'there is no QR code in the picture'])
  return code.data
}

/** `https://wa.me/settings/linked_devices#ref,noise,identity,secret,platform`; older clients show the list alone. */
function parse(text: string): LinkQr {
  const list = text.slice(text.indexOf('#') + 1).split(',')
  const [ref = '', ...keys] = list
  const [noiseKey, identity, advSecret] = keys.slice(0, 3).map((key) => Buffer.from(key, 'base64'))
  if (noiseKey?.length !== 32 || identity?.length !== 32 || advSecret?.length !== 32) {
    throw gatewayError('FIELD_INVALID', ['QRCode', 'the code is not one to link a device with'])
  }
  return {
    ref,
    noiseKey,
    identity,
    advSecret,
    secretId: createHash('sha256').update(advSecret).digest('hex'),
  }
}
