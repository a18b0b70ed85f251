import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import type { LinkedSession, World } from '../../support/world.ts'
import type { Body, Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

const INLINE = 20_000

describe('files of messages', () => {
  let world: World
  let session: LinkedSession
  let hook: Hook
  let ana: Phone
  let close: Shop['close']
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop({
      config: { messages: { inlineBytes: INLINE, fileBytes: 60_000 } },
    }))
  })
  after(() => close())

  const dataUrl = (bytes: Buffer, mime = 'application/octet-stream'): string =>
    `data:${mime};base64,${bytes.toString('base64')}`
  const fromAna = async (Message: Record<string, unknown>): Promise<Body> =>
    hook.message(await ana.send(session.phone.account.phone, { Message }))
  const large = Buffer.alloc(INLINE + 1, 'large ')

  describe('in events', () => {
    it('are included, named after the message', async () => {
      const image = await picture()
      const body = await fromAna({ image, caption: 'look' })
      expect(body).to.include({
        base64: image.split(',')[1],
        mimeType: 'image/jpeg',
        fileName: `${body.event.Info.ID}.jpg`,
      })
      const table = await fromAna({ document: dataUrl(Buffer.from('a,b')), fileName: 'prices.csv' })
      expect(table.fileName).to.equal(`${table.event.Info.ID}.csv`)
      expect(Buffer.from(table.base64, 'base64').toString()).to.equal('a,b')
    })

    it('distinguish stickers', async () => {
      const sticker = await fromAna({ sticker: await picture(), mimetype: 'image/webp', isAnimated: true })
      expect(sticker).to.include({ isSticker: true, stickerAnimated: true, mimeType: 'image/webp' })
      expect(sticker).to.have.property('base64').that.is.a('string')
    })

    it('are signed, expiring links above the inline size', async () => {
      const body = await fromAna({ document: dataUrl(large, 'text/html'), mimetype: 'text/html' })
      expect(body).not.to.have.property('base64')
      expect(body.mediaUrl).to.match(/^\/media\/\d+\?expires=\d+&signature=[\w-]+$/)
      const answer = await fetch(world.gateway.url + body.mediaUrl)
      expect(answer.status).to.equal(200)
      expect(Buffer.from(await answer.arrayBuffer()).equals(large)).to.equal(true)
      expect(answer.headers.get('content-disposition')).to.match(/^attachment; filename="\w+\.html"$/)
      expect(answer.headers.get('content-security-policy')).to.equal('sandbox')
    })

    it('refuse a link that was changed or has expired', async () => {
      const { mediaUrl } = await fromAna({ document: dataUrl(large) })
      const [, seq = '', expires = '', signature = ''] =
        /media\/(\d+)\?expires=(\d+)&signature=(.+)$/.exec(mediaUrl) ?? []
      const links = [
        `/media/${Number(seq) - 1}?expires=${expires}&signature=${signature}`,
        `/media/${seq}?expires=${Number(expires) + 1}&signature=${signature}`,
        `/media/${seq}?expires=${expires}&signature=${signature}x`,
        `/media/${seq}`,
      ]
      for (const link of links) {
        const answer = await world.gateway.get(link)
        expect(answer, link).to.include({ status: 403, success: false })
      }
    })

    it('are replaced by the reason if not available', async () => {
      world.fault({ Fault: 'mediaDown' })
      const body = await fromAna({ image: await picture(), caption: 'later' })
      world.fault({ Fault: 'clear' })
      expect(body.event.Message.imageMessage).to.include({ caption: 'later' })
      expect(body.mediaError).to.include('503')
      expect(body).not.to.have.property('base64')
    })

    it('are never downloaded from other hosts than the network', async () => {
      const image = await fromAna({ image: await picture() })
      const { imageMessage } = image.event.Message
      for (const [url, directPath] of [
        ['https://127.0.0.1:1/secret', ''],
        ['https://mmg.whatsapp.net/x', '//10.0.0.1/secret'],
        ['http://mmg.whatsapp.net/x', ''],
      ]) {
        const body = await fromAna({
          imageMessage: { ...toProto(imageMessage), url, directPath, mimetype: 'image/jpeg' },
        })
        expect(body.mediaError, url).to.include('is not a media host of the network')
      }
      // A name before the host would be one in a URL; as a path it is none.
      const named = await fromAna({
        imageMessage: { ...toProto(imageMessage), url: '', directPath: '@10.0.0.1/secret' },
      })
      expect(named.mediaError).to.include('The file has expired')
    })
  })

  const kinds = ['image', 'video', 'audio', 'document'] as const
  for (const kind of kinds) {
    const path = `/message/download${kind}` as const
    const fieldsOf = async (): Promise<Body> => {
      const bytes = Buffer.from(`the ${kind} itself`)
      const { event } = await fromAna({ [kind]: dataUrl(bytes), mimetype: 'text/x-test' })
      const part = event.Message[`${kind}Message`]
      return {
        Url: part.URL,
        DirectPath: part.directPath,
        MediaKey: part.mediaKey,
        Mimetype: part.mimetype,
        FileEncSHA256: part.fileEncSHA256,
        FileSHA256: part.fileSHA256,
        FileLength: Number(part.fileLength),
      }
    }

    shows(`POST ${path}`, 'returns the file that was sent', async () => {
      const fields = await fieldsOf()
      const wanted = {
        Mimetype: 'text/x-test',
        Data: dataUrl(Buffer.from(`the ${kind} itself`), 'text/x-test'),
      }
      const answer = await session.post(path, fields)
      expect(answer.data, answer.error).to.deep.equal(wanted)
      const byPath = await session.post(path, { ...fields, Url: '' })
      expect(byPath.data, byPath.error).to.deep.equal(wanted)
    })

    refuses(`POST ${path}`, 'wrong hashes, other hosts and expired files', async () => {
      const fields = await fieldsOf()
      const other = Buffer.alloc(32, 1).toString('base64')
      const faults: readonly [change: object, status: number, error: string][] = [
        [{ MediaKey: other }, 400, 'Invalid MediaKey: does not fit the file'],
        [{ MediaKey: 'AAAA' }, 400, 'Invalid MediaKey: must have 32 bytes'],
        [{ FileEncSHA256: other }, 400, 'Invalid FileEncSHA256'],
        [{ FileSHA256: other }, 400, 'Invalid FileSHA256'],
        [{ Url: 'https://example.com/file' }, 400, 'Invalid Url: example.com is not a media host'],
        [{ Url: '', DirectPath: '' }, 400, 'Missing Url'],
        [{ DirectPath: `${fields.DirectPath}0` }, 404, 'File not found'],
      ]
      for (const [change, status, error] of faults) {
        const answer = await session.post(path, { ...fields, ...change })
        expect(answer, error).to.include({ status, success: false })
        expect(answer.error).to.include(error)
      }
    })
  }

  it('are not downloaded to the end if they are too large', async () => {
    const { event } = await fromAna({ document: dataUrl(Buffer.alloc(61_000)) })
    const part = event.Message.documentMessage
    const answer = await session.post('/message/downloaddocument', {
      Url: part.URL,
      DirectPath: part.directPath,
      MediaKey: part.mediaKey,
      FileEncSHA256: part.fileEncSHA256,
      FileSHA256: part.fileSHA256,
    })
    expect(answer.error).to.equal('Invalid FileLength: the file has more than 60000 bytes')
  })
})

/** What was logged in the family's casing, as the phone writes it. */
function toProto({ fileSHA256, fileEncSHA256, mediaKey }: Body): Body {
  return { fileSha256: fileSHA256, fileEncSha256: fileEncSHA256, mediaKey }
}
