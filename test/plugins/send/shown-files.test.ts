import { expect } from 'chai'
import sharp from 'sharp'
import type { Stored } from '../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { hasPoppler, pdf } from '../../support/samples.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('what phones show of files', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop())
  })
  after(() => world.stop())

  const sent = async (path: string, body: object): Promise<Stored> => {
    const { data, error } = await session.post(path, { Phone: ana.account.phone, ...body })
    expect(data, error).to.include({ Details: 'Sent' })
    return ana.wait(({ id }) => id === data.Id)
  }

  shows('POST /send/sticker', 'names the pack that apps show', async () => {
    const png = await sharp({ create: { width: 40, height: 20, channels: 4, background: '#0f08' } })
      .png()
      .toBuffer()
    const body = {
      Sticker: png.toString('base64'),
      PackName: 'Bakery',
      PackPublisher: 'Shop',
      Emojis: ['🥐'],
    }
    const { id } = await sent('/send/sticker', body)
    const { data } = await ana.file(id)
    const { exif = Buffer.alloc(0) } = await sharp(data).metadata()
    expect(exif.toString()).to.include('"sticker-pack-name":"Bakery","sticker-pack-publisher":"Shop"')
  })

  refuses('POST /send/sticker', 'emojis without a pack', async () => {
    const body = { Phone: ana.account.phone, Sticker: await picture(), Emojis: ['🥐'] }
    expect((await session.post('/send/sticker', body)).error).to.equal('Missing PackName in Payload')
  })

  shows('POST /send/document', 'shows the pages of a PDF if Poppler is installed', async function () {
    if (!(await hasPoppler)) return this.skip()
    const Document = pdf(3).toString('base64')
    const { message } = await sent('/send/document', { Document, FileName: 'menu.pdf' })
    expect(message['documentMessage']).to.include({ mimetype: 'application/pdf', pageCount: 3 })
    const { jpegThumbnail } = message['documentMessage'] as { jpegThumbnail: string }
    const shown = await sharp(Buffer.from(jpegThumbnail, 'base64')).metadata()
    expect([shown.format, Math.max(shown.width, shown.height)]).to.deep.equal(['jpeg', 320])
    const broken = await sent('/send/document', {
      Document: Buffer.from('%PDF-1.4 no more').toString('base64'),
      FileName: 'broken.pdf',
    })
    expect(broken.message['documentMessage']).not.to.have.property('pageCount')
  })
})
