import { expect } from 'chai'
import fc from 'fast-check'
import { isGatewayError } from '../../../kernel/errors.ts'
import { decodeMedia } from '../../../plugins/media/data-url.ts'
import { createMedia } from '../../../plugins/media/media.ts'
import { picture } from '../../support/picture.ts'

const media = createMedia({ config: { maxBytes: 1_000_000, maxPixels: 1_000_000 } })

describe('media strings', () => {
  it('gives back every byte of what was encoded, as data URL or bare', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 500 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64')
        expect(decodeMedia('F', base64).bytes.equals(bytes)).to.equal(true)
        const { bytes: same, declared } = decodeMedia('F', `data:image/x;name=a;base64,${base64}`)
        expect(same.equals(bytes)).to.equal(true)
        expect(declared).to.equal('image/x;name=a')
      }),
    )
  })

  it('answers any other text with an error that names the field', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          decodeMedia('Image', text)
        } catch (error) {
          expect(isGatewayError(error) && error.message.includes('Image')).to.equal(true)
        }
      }),
    )
  })

  it('believes the bytes, not the label', async () => {
    const mislabelled = (await picture()).replace('image/jpeg', 'application/pdf')
    expect(await media.image('Image', mislabelled)).to.include({ mime: 'image/jpeg', width: 64, height: 64 })
  })

  it('refuses files and pictures that are too large', async () => {
    const big = Buffer.alloc(1_000_001).toString('base64')
    const refusal = await media.file('Document', big).catch((error: Error) => error.message)
    expect(refusal).to.include('Document').and.include('1000001 bytes')
    const wide = await media.image('Image', await picture(10, 1100)).catch((error: Error) => error.message)
    expect(wide).to.include('Unsupported media in Image')
  })
})
