import { createHash } from 'node:crypto'
import { expect } from 'chai'
import type { Stored } from '../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { voice, wav } from '../../support/samples.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('files behind links', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let server: FileServer
  const jpeg = picture(50, 90).then((dataUrl) => dataUrl.split(',')[1] ?? '')
  const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isommp42').toString('base64')
  before(async () => {
    world = await startWorld({
      config: { media: { maxBytes: 50_000, fetchTimeoutMs: 500, ffmpeg: '/nonexistent' } },
    })
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
    server = await startFileServer({
      '/a.jpg': give(await jpeg, 'image/jpeg'),
      '/a.mp4': give(mp4, 'video/mp4'),
      '/my%20table.csv?x=1': give(Buffer.from('a,b').toString('base64'), 'text/csv'),
      '/voice': give(voice(3), 'application/octet-stream'),
      '/sound.wav': give(wav(1), 'audio/wav'),
      '/big': give(Buffer.alloc(50_001).toString('base64'), 'image/jpeg'),
      '/slow': () => undefined,
    })
  })
  after(async () => {
    await server.close()
    await world.stop()
  })

  const request = (path: string, Type: string, more = {}) => ({
    Jid: ana.account.phone,
    Url: server.url + path,
    Type,
    Caption: '',
    Filename: '',
    ...more,
  })
  const sent = async (path: string, Type: string, more = {}): Promise<Stored> => {
    const answer = await session.post('/send/mediaurl', request(path, Type, more))
    expect(answer, answer.error).to.include({ status: 200, success: true })
    return ana.wait(({ id }) => id === answer.data.Id)
  }
  const hashOf = (base64: string): string =>
    createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex')

  shows('POST /send/mediaurl', 'sends a picture', async () => {
    const { message, media } = await sent('/a.jpg', 'image', { Caption: 'look', Id: 'from-a-link' })
    expect(message['imageMessage']).to.include({ caption: 'look', width: 90, mimetype: 'image/jpeg' })
    expect(media?.sha256).to.equal(hashOf(await jpeg))
  })

  shows('POST /send/mediaurl', 'sends video, document, sticker, voice message and audio', async () => {
    const video = await sent('/a.mp4', 'video', { Duration: 7, Caption: 'film' })
    expect(video.message['videoMessage']).to.include({ seconds: 7, caption: 'film', mimetype: 'video/mp4' })
    const named = await sent('/my%20table.csv?x=1', 'document', { Filename: 'b.csv' })
    expect(named.message['documentMessage']).to.include({ fileName: 'b.csv', mimetype: 'text/csv' })
    const unnamed = await sent('/my%20table.csv?x=1', 'document')
    expect(unnamed.message['documentMessage']).to.include({ fileName: 'my table.csv' })
    const sticker = await sent('/a.jpg', 'sticker')
    expect(sticker.message['stickerMessage']).to.include({ mimetype: 'image/webp' })
    const ptt = await sent('/voice', 'ptt')
    expect(ptt.message['audioMessage']).to.include({
      ptt: true,
      seconds: 3,
      mimetype: 'audio/ogg; codecs=opus',
    })
    const audio = await sent('/sound.wav', 'audio', { Duration: 2 })
    expect(audio.message['audioMessage']).to.include({ ptt: false, seconds: 2, mimetype: 'audio/wav' })
  })

  it('does not download again for an id that was sent', async () => {
    const body = request('/a.jpg', 'image', { Id: 'fetched-once' })
    const first = await session.post('/send/mediaurl', body)
    const asked = server.asked.length
    const second = await session.post('/send/mediaurl', body)
    expect(second.data).to.deep.equal(first.data)
    expect(server.asked).to.have.length(asked)
  })

  it('sends audio that it cannot convert as a file, unless a voice message is requested', async () => {
    const body = { Phone: ana.account.phone, Audio: wav(1) }
    const answer = await session.post('/send/audio', body)
    const { message } = await ana.wait(({ id }) => id === answer.data.Id)
    expect(message['audioMessage']).to.include({ ptt: false, mimetype: 'audio/wav' })
    const refused = await session.post('/send/audio', { ...body, Ptt: true })
    expect(refused).to.include({ status: 415, success: false })
    expect(refused.error).to.include('ffmpeg is not installed')
  })

  shows('POST /send/image', 'sends a picture from a link', async () => {
    const body = { Phone: ana.account.phone, Image: `${server.url}/a.jpg` }
    const answer = await session.post('/send/image', body)
    const { media } = await ana.wait(({ id }) => id === answer.data.Id)
    expect(media?.sha256).to.equal(hashOf(await jpeg))
  })

  shows('POST /send/carouselmedia', 'sends pictures from links', async () => {
    const card = { text: 'x', media_url: `${server.url}/a.jpg`, media_type: 'image' }
    const answer = await session.post('/send/carouselmedia', {
      Phone: ana.account.phone,
      Carousel: [card, card],
    })
    const { files } = await ana.wait(({ id }) => id === answer.data.Id)
    expect(files?.map(({ sha256 }) => sha256)).to.deep.equal([hashOf(await jpeg), hashOf(await jpeg)])
  })

  refuses('POST /send/mediaurl', 'messages that the network refuses, and an unknown number', async () => {
    const before = world.counters()['messages']
    world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 403, Count: 1 })
    const refused = await session.post('/send/mediaurl', request('/a.jpg', 'image'))
    expect(refused, refused.error).to.include({ status: 403, success: false })
    const nobody = await session.post('/send/mediaurl', request('/a.jpg', 'image', { Jid: '5511900000000' }))
    expect(nobody, nobody.error).to.include({ status: 404, success: false })
    expect(world.counters()['messages']).to.equal(before)
  })

  const faults: readonly [what: string, path: string, type: string, status: number, error: string][] = [
    ['a file that is not there', '/none', 'image', 400, 'Could not fetch Url: the server answered 404'],
    ['a file that is too large', '/big', 'image', 400, 'Could not fetch Url: the file has more than'],
    ['a server that says nothing', '/slow', 'image', 400, 'Could not fetch Url: '],
    ['a picture that is none', '/voice', 'image', 415, 'Unsupported media in Url'],
    ['a voice message that would have to be converted', '/sound.wav', 'ptt', 415, 'ffmpeg is not installed'],
    ['a sticker that would have to be converted', '/a.mp4', 'sticker', 415, 'ffmpeg is not installed'],
  ]
  for (const [what, path, type, status, error] of faults) {
    refuses('POST /send/mediaurl', what, async () => {
      const before = world.counters()['messages']
      const answer = await session.post('/send/mediaurl', request(path, type))
      expect(answer).to.include({ status, success: false })
      expect(answer.error).to.include(error)
      expect(world.counters()['messages']).to.equal(before)
    })
  }

  refuses('POST /send/mediaurl', 'private addresses, and invalid links', async () => {
    const inside = await session.post('/send/mediaurl', request('', 'image', { Url: 'http://[::1]:1/x' }))
    expect(inside).to.include({ status: 400 })
    expect(inside.error).to.include('Could not fetch Url').and.include('private address')
    const file = await session.post('/send/mediaurl', request('', 'image', { Url: 'file:///etc/passwd' }))
    expect(file).to.include({ status: 400 })
    expect(file.error).to.include('Invalid Url')
  })
})
