import { expect } from 'chai'
import sharp from 'sharp'
import { addErrors } from '../../../kernel/errors.ts'
import { errors } from '../../../plugins/messaging/errors.ts'
import { openMedia } from '../../support/media.ts'
import { voice, wav } from '../../support/samples.ts'

// Otherwise added by a gateway.
addErrors(errors)

const media = openMedia({
  ...{ maxBytes: 1_000_000, maxPixels: 1_000_000 },
  ...{ ffmpeg: 'no-ffmpeg', ffprobe: 'no-ffprobe', pdfinfo: 'no-pdfinfo', pdftoppm: 'no-pdftoppm' },
})
after(() => media.close())

type Format = 'jpeg' | 'png' | 'gif' | 'webp' | 'avif' | 'tiff'

const SIZE = { width: 40, height: 30 }
const dataUrl = (bytes: Buffer, mime = ''): string => `data:${mime};base64,${bytes.toString('base64')}`
function pictureAs(format: Format, alpha = 1): Promise<Buffer> {
  const background = { r: 200, g: 30, b: 30, alpha }
  return sharp({ create: { ...SIZE, channels: alpha < 1 ? 4 : 3, background } })
    .toFormat(format)
    .toBuffer()
}
async function refusal(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'taken',
    (error: Error & { status?: number }) => `${error.status} ${error.message}`,
  )
}

describe('pictures that are sent', () => {
  it('are JPEG and PNG as they are given', async () => {
    for (const format of ['jpeg', 'png'] as const) {
      const bytes = await pictureAs(format)
      const image = await media.image('Image', dataUrl(bytes))
      expect(image).to.include({ mime: `image/${format}`, ...SIZE })
      expect(image.bytes.equals(bytes)).to.equal(true)
    }
  })

  for (const [format, alpha, becomes] of [
    ['gif', 1, 'jpeg'],
    ['gif', 0.2, 'png'],
    ['webp', 1, 'jpeg'],
    ['webp', 0.2, 'png'],
    ['avif', 1, 'jpeg'],
    ['tiff', 1, 'jpeg'],
  ] as const) {
    it(`are converted from ${format}${alpha < 1 ? ' with transparency' : ''} to ${becomes}`, async () => {
      const image = await media.image('Image', dataUrl(await pictureAs(format, alpha)))
      expect(image).to.include({ mime: `image/${becomes}`, ...SIZE })
      expect((await sharp(image.bytes).metadata()).format).to.equal(becomes)
      expect((await sharp(image.thumbnail).metadata()).format).to.equal('jpeg')
    })
  }

  it('are the first frame of an animated GIF, and upright', async () => {
    const frames = Buffer.concat([Buffer.alloc(300, 10), Buffer.alloc(300, 250)])
    const raw = { width: 10, height: 20, channels: 3 as const, pageHeight: 10 }
    const gif = await sharp(frames, { raw })
      .gif({ delay: [100, 100] })
      .toBuffer()
    expect((await sharp(gif, { animated: true }).metadata()).pages).to.equal(2)
    expect(await media.image('Image', dataUrl(gif))).to.include({ width: 10, height: 10 })
    const turned = await sharp(await pictureAs('tiff'))
      .withMetadata({ orientation: 6 })
      .tiff()
      .toBuffer()
    expect(await media.image('Image', dataUrl(turned))).to.include({ width: 30, height: 40 })
  })

  it('are no SVG, whatever it is called, and nothing that has the name alone', async () => {
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="9" height="9"/></svg>'
    const files = [svg, `<?xml version="1.0"?>${svg}`, 'hello'].flatMap((text) =>
      ['image/svg+xml', 'image/png', ''].map((mime) => dataUrl(Buffer.from(text), mime)),
    )
    for (const file of files) {
      for (const work of [media.image('F', file), media.sticker('F', file), media.thumbnail('F', file)])
        expect(await refusal(work), file).to.match(/^415 Unsupported media in F: .*JPEG, PNG, /)
    }
  })
})

describe('audio and video that are sent', () => {
  const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isommp42')
  /** Two frames of MPEG audio, each with its sync word. */
  const frame = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0x00]), Buffer.alloc(413)])
  const tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\0\x05', 'latin1'), Buffer.alloc(5)])

  it('are known by their content', async () => {
    for (const bytes of [frame, tag].map((head) => Buffer.concat([head, frame, frame])))
      expect(await media.audio('Audio', dataUrl(bytes), 'file')).to.include({ mime: 'audio/mpeg' })
    expect(await media.audio('Audio', wav(1), 'file')).to.include({ mime: 'audio/wav' })
    expect(await media.audio('Audio', voice(1), 'voice')).to.include({ isVoice: true })
    expect(await media.video('Video', dataUrl(mp4))).to.include({ mime: 'video/mp4' })
  })

  for (const [what, bytes] of [
    ['two bytes', Buffer.from([0, 1])],
    ['a sync word alone', Buffer.from([0xff, 0xfb])],
    ['one of ADTS alone', Buffer.from([0xff, 0xf1, 0x50, 0x80, 0x01, 0x1f, 0xfc])],
    ['a tag alone', tag],
    ['a text', Buffer.from('hello')],
    ['a picture', Buffer.from('GIF89a')],
  ] as const) {
    it(`are not ${what}, whatever it is called`, async () => {
      for (const mime of ['audio/mpeg', 'audio/ogg; codecs=opus', 'video/mp4', '', 'application/ogg']) {
        for (const form of ['voice', 'file', 'best'] as const)
          expect(await refusal(media.audio('F', dataUrl(bytes, mime), form)), mime).to.match(
            /^415 Unsupported media in F: .* audio/,
          )
        expect(await refusal(media.video('F', dataUrl(bytes, mime))), mime).to.match(
          /^415 Unsupported media in F: .* video/,
        )
      }
    })
  }
})
