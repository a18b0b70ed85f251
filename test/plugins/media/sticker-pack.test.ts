import { expect } from 'chai'
import sharp from 'sharp'
import { withPack } from '../../../plugins/media/worker/sticker-pack.ts'

const PACK = { name: 'Bakery', publisher: 'Müller & Söhne', emojis: ['🥐'] }
const square = (background: object) =>
  sharp({ create: { width: 301, height: 200, channels: 4, background: background as never } })
const OPAQUE = { r: 200, g: 30, b: 30, alpha: 1 }
const CLEAR = { r: 0, g: 0, b: 0, alpha: 0.2 }

async function packOf(webp: Buffer): Promise<Record<string, unknown>> {
  const { exif = Buffer.alloc(0) } = await sharp(webp).metadata()
  return JSON.parse(exif.toString('utf8', exif.indexOf('{')))
}

describe('the pack of a sticker', () => {
  const files: [string, () => Promise<Buffer>][] = [
    ['lossy', () => square(OPAQUE).flatten().webp().toBuffer()],
    ['lossless', () => square(OPAQUE).webp({ lossless: true }).toBuffer()],
    ['transparent', () => square(CLEAR).webp().toBuffer()],
    [
      'with EXIF of its own',
      () =>
        square(OPAQUE)
          .withExif({ IFD0: { Artist: 'nobody' } })
          .webp()
          .toBuffer(),
    ],
  ]
  for (const [kind, make] of files)
    it(`is in a file that is ${kind}, which stays the same picture`, async () => {
      const webp = await make()
      const before = Buffer.from(webp)
      const packed = withPack(webp, PACK)
      const { 'sticker-pack-id': id, ...pack } = await packOf(packed)
      expect(pack).to.deep.equal({
        'sticker-pack-name': 'Bakery',
        'sticker-pack-publisher': 'Müller & Söhne',
        emojis: ['🥐'],
      })
      const pixels = (file: Buffer) => sharp(file).ensureAlpha().raw().toBuffer()
      expect((await pixels(packed)).equals(await pixels(webp))).to.equal(true)
      expect(webp.equals(before), 'the given file').to.equal(true)
      const { width, height } = await sharp(packed).metadata()
      expect([width, height]).to.deep.equal([301, 200])
      expect(packed.readUInt32LE(4)).to.equal(packed.length - 8)
      // Again: one pack, not two.
      expect(withPack(packed, PACK).equals(packed)).to.equal(true)
      // All stickers of a pack have its id, and those of another pack another.
      const other = withPack(webp, { ...PACK, name: 'Kitchen' })
      expect((await packOf(other))['sticker-pack-id'])
        .to.match(/^[0-9a-f]{64}$/)
        .and.not.equal(id)
      expect((await packOf(withPack(webp, { ...PACK, emojis: [] })))['sticker-pack-id']).to.equal(id)
    })

  it('is in one that moves, too', async () => {
    const frames = [OPAQUE, CLEAR].map((background) => square(background).png().toBuffer())
    const webp = await sharp(await Promise.all(frames), { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer()
    const packed = withPack(webp, PACK)
    expect((await sharp(packed, { animated: true }).metadata()).pages).to.equal(2)
    expect(await packOf(packed)).to.include({ 'sticker-pack-name': 'Bakery' })
  })
})
