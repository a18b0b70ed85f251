import { createHash } from 'node:crypto'
import { expect } from 'chai'
import sharp from 'sharp'
import type { Stored } from '../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { hasFfmpeg, sample, voice, wav } from '../../support/samples.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('sending', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ config: { baileys: { ackTimeoutMs: 1500 } } }))
  })
  after(() => world.stop())

  /** Sends, and answers what the other phone decrypted under that id. */
  const sent = async (path: string, body: object, phone = ana): Promise<Stored> => {
    const answer = await session.post(path, { Phone: phone.account.phone, ...body })
    expect(answer, answer.error).to.include({ status: 200, success: true })
    expect(answer.data).to.include({ Details: 'Sent' })
    expect(answer.data.Timestamp).to.match(/^\d{4}-\d\d-\d\dT.*Z$/)
    return phone.wait(({ id }) => id === answer.data.Id)
  }
  const hashOf = (dataUrl: string): string =>
    createHash('sha256')
      .update(Buffer.from(dataUrl.split(',')[1] ?? '', 'base64'))
      .digest('hex')
  const ogg = `data:audio/ogg;base64,${voice(5)}`

  shows('POST /send/text', 'delivers the text to the phone', async () => {
    const { message } = await sent('/send/text', { Body: 'Olá, https://example.com 👋' })
    expect(message).to.have.nested.property('extendedTextMessage.text', 'Olá, https://example.com 👋')
  })

  shows('POST /send/image', 'sends caption, size and thumbnail', async () => {
    const image = await picture(90, 80)
    const { message, media } = await sent('/send/image', { Image: image, Caption: 'look' })
    expect(message['imageMessage']).to.include({
      caption: 'look',
      mimetype: 'image/jpeg',
      width: 80,
      height: 80,
    })
    expect(message['imageMessage']).to.have.property('jpegThumbnail').that.is.a('string').and.not.empty
    expect(media?.sha256).to.equal(hashOf(image))
  })

  shows('POST /send/audio', 'sends a voice message, and a file', async () => {
    const voice = await sent('/send/audio', { Audio: ogg, Duration: 3 })
    expect(voice.message['audioMessage']).to.include({
      ptt: true,
      mimetype: 'audio/ogg; codecs=opus',
      seconds: 3,
    })
    expect(voice.media?.sha256).to.equal(hashOf(ogg))
    const measured = await sent('/send/audio', { Audio: ogg, Ptt: true })
    expect(measured.message['audioMessage']).to.include({ ptt: true, seconds: 5 })
    const music = await sent('/send/audio', { Audio: wav(1), Ptt: false })
    expect(music.message['audioMessage']).to.include({ ptt: false, mimetype: 'audio/wav' })
    expect(music.media?.sha256).to.equal(hashOf(`,${wav(1)}`))
  })

  shows('POST /send/audio', 'converts to a voice message if ffmpeg is installed', async function () {
    if (!(await hasFfmpeg)) this.skip()
    const { message, media } = await sent('/send/audio', { Audio: sample('mp3', '-f lavfi -i sine=d=2') })
    const audio = message['audioMessage'] as { waveform: string }
    expect(audio).to.include({ ptt: true, seconds: 2, mimetype: 'audio/ogg; codecs=opus' })
    expect(Buffer.from(audio.waveform, 'base64')).to.have.length(64)
    expect(media?.mimetype).to.equal('audio/ogg; codecs=opus')
  })

  shows('POST /send/video', 'adds size, length and thumbnail if ffmpeg is installed', async function () {
    if (!(await hasFfmpeg)) this.skip()
    const film = sample('mp4', '-f lavfi -i testsrc=s=320x180:d=2:r=5 -pix_fmt yuv420p')
    const { message } = await sent('/send/video', { Video: film })
    expect(message['videoMessage']).to.include({ width: 320, height: 180, seconds: 2 })
    expect(message).to.have.nested.property('videoMessage.jpegThumbnail').that.is.not.empty
  })

  shows('POST /send/sticker', 'converts a short video if ffmpeg is installed', async function () {
    if (!(await hasFfmpeg)) this.skip()
    const film = sample('mp4', '-f lavfi -i testsrc=s=320x180:d=1:r=5 -pix_fmt yuv420p')
    const { message } = await sent('/send/sticker', { Sticker: film })
    expect(message['stickerMessage']).to.include({ mimetype: 'image/webp', isAnimated: true })
  })

  shows('POST /send/video', 'keeps a given thumbnail', async () => {
    const mp4 = Buffer.concat([
      Buffer.from([0, 0, 0, 24]),
      Buffer.from('ftypisom\0\0\0\0isommp42'),
      Buffer.alloc(64),
    ])
    const video = `data:video/mp4;base64,${mp4.toString('base64')}`
    const thumbnail = (await picture(20, 10)).split(',')[1]
    const { message, media } = await sent('/send/video', {
      Video: video,
      Caption: 'film',
      JpegThumbnail: thumbnail,
    })
    expect(message['videoMessage']).to.include({
      caption: 'film',
      mimetype: 'video/mp4',
      jpegThumbnail: thumbnail,
    })
    expect(media?.sha256).to.equal(hashOf(video))
  })

  shows('POST /send/document', 'sends any type, from bare base64', async () => {
    const { message, media } = await sent('/send/document', {
      Document: Buffer.from('a,b\n1,2\n').toString('base64'),
      FileName: 'table.csv',
      Mimetype: 'text/csv',
      Caption: 'numbers',
    })
    expect(message).to.have.nested.property('documentMessage.fileName', 'table.csv')
    expect(message).to.have.nested.property('documentMessage.mimetype', 'text/csv')
    expect(message).to.have.nested.property('documentMessage.caption', 'numbers')
    expect(media?.size).to.equal(8)
  })

  shows('POST /send/sticker', 'converts to WebP, with a thumbnail', async () => {
    const png = await sharp({ create: { width: 40, height: 20, channels: 4, background: '#0f08' } })
      .png()
      .toBuffer()
    const { message, media } = await sent('/send/sticker', {
      Sticker: `data:image/png;base64,${png.toString('base64')}`,
      PngThumbnail: await picture(30, 20),
    })
    const thumbnail = Buffer.from(
      (message['stickerMessage'] as { pngThumbnail: string }).pngThumbnail,
      'base64',
    )
    expect(await sharp(thumbnail).metadata()).to.include({ format: 'png', width: 20 })
    expect(message).to.have.nested.property('stickerMessage.mimetype', 'image/webp')
    expect(media?.size).to.be.greaterThan(20)
  })

  shows('POST /send/location', 'sends a location, also at zero', async () => {
    const { message } = await sent('/send/location', {
      Latitude: 0,
      Longitude: -46.6,
      Name: 'here',
      Address: 'there',
    })
    expect(message['locationMessage']).to.include({
      degreesLatitude: 0,
      degreesLongitude: -46.6,
      name: 'here',
    })
  })

  shows('POST /send/contact', 'sends a contact from fields and as text', async () => {
    const Vcard = { FullName: 'Bea; the first', Phone: '+55 11 98888-7777', Organization: 'Acme' }
    const { message } = await sent('/send/contact', { Vcard })
    expect(message).to.have.nested.property('contactMessage.displayName', 'Bea; the first')
    expect(message)
      .to.have.nested.property('contactMessage.vcard')
      .that.includes('waid=5511988887777')
      .and.includes('FN:Bea\\; the first')
    const text = await sent('/send/contact', { Vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Caio\nEND:VCARD' })
    expect(text.message).to.have.nested.property('contactMessage.displayName', 'Caio')
  })

  shows('POST /send/poll', 'sends a poll with its context', async () => {
    const { message } = await sent('/send/poll', {
      Question: 'When?',
      MaxAnswer: 1,
      Options: ['now', 'later'],
      ContextInfo: { MentionedJID: [ana.account.phone] },
    })
    const poll = message['pollCreationMessageV3'] as { name: string; options: { optionName: string }[] }
    expect(poll.name).to.equal('When?')
    expect(poll.options.map(({ optionName }) => optionName)).to.deep.equal(['now', 'later'])
    expect(message).to.have.deep.nested.property('pollCreationMessageV3.contextInfo.mentionedJid', [
      ana.account.jid,
    ])
  })

  shows('POST /send/text', 'sends a reply that quotes the stored message', async () => {
    const id = await ana.send(session.phone.account.phone, { Text: 'how much?' })
    await session.phone.wait((message) => message.id === id)
    await eventually(async () => {
      const { message } = await sent('/send/text', {
        Body: 'ten',
        ContextInfo: { StanzaId: id, Participant: ana.account.phone },
      })
      expect(message).to.have.nested.property('extendedTextMessage.contextInfo.stanzaId', id)
      return expect(message).to.have.nested.property(
        'extendedTextMessage.contextInfo.quotedMessage.conversation',
        'how much?',
      )
    }, 'quoted')
  })

  shows(
    'POST /send/text',
    'sends to a group, encrypted for every member, and receives the reply',
    async () => {
      const bea = await world.phone('Bea')
      const { JID } = await ana.act({
        Action: 'createGroup',
        Text: 'Team',
        Participants: [session.phone.account.phone, bea.account.phone],
      })
      const group = String(JID)
      const answer = await session.post('/send/text', { Phone: group, Body: 'hello all' })
      expect(answer, answer.error).to.include({ success: true })
      for (const phone of [ana, bea]) {
        const { message, chat } = await phone.wait(({ id }) => id === answer.data.Id)
        expect(chat).to.equal(group)
        expect(message).to.have.nested.property('extendedTextMessage.text', 'hello all')
      }
      const again = await session.post('/send/text', { Phone: group, Body: 'and again' })
      await bea.wait(({ id }) => id === again.data.Id)
      const id = await bea.send(group, { Text: 'hello back' })
      await session.phone.wait((message) => message.id === id)
    },
  )

  const refused: readonly [what: string, path: string, body: object, status: number, error: string][] = [
    ['no phone', 'text', { Body: 'x' }, 400, 'Missing Phone in Payload'],
    ['no text', 'text', { Phone: '1234567', Body: '' }, 400, 'Missing Body in Payload'],
    ['an unparsable phone', 'text', { Phone: 'call me', Body: 'x' }, 400, 'Could not parse Phone: "call me"'],
    ['a JID of nothing', 'text', { Phone: 'a@b.c', Body: 'x' }, 400, 'Could not parse Phone'],
    [
      'a wrong type',
      'text',
      { Phone: '1234567', Body: 5 },
      400,
      'Could not decode Payload: Body must be string',
    ],
    [
      'broken base64',
      'image',
      { Phone: '1234567', Image: 'data:image/png;base64,@@@' },
      400,
      'Could not decode base64 encoded data from payload: Image',
    ],
    [
      'a picture that is none',
      'image',
      { Phone: '1234567', Image: 'data:image/png;base64,aGVsbG8=' },
      415,
      'Unsupported media in Image',
    ],
    [
      'a link to an address inside',
      'image',
      { Phone: '1234567', Image: 'http://169.254.169.254/a.png' },
      400,
      'Could not fetch Image: the host is on a private address',
    ],
    [
      'a place off the earth',
      'location',
      { Phone: '1234567', Latitude: 91, Longitude: 0 },
      400,
      'Invalid Latitude',
    ],
    [
      'a poll of one option',
      'poll',
      { Phone: '1234567', Question: 'q', MaxAnswer: 1, Options: ['a'] },
      400,
      'at least 2 options',
    ],
    [
      'a card without a name',
      'contact',
      { Phone: '1234567', Vcard: { Phone: '1' } },
      400,
      'Missing Vcard.FullName',
    ],
    ['an id with spaces', 'text', { Phone: '1234567', Body: 'x', Id: 'a b' }, 400, 'Invalid Id'],
    [
      'an id that would leave as another',
      'text',
      { Phone: '1234567', Body: 'x', Id: 'a_b@c' },
      400,
      'Invalid Id',
    ],
  ]
  for (const [what, path, body, status, error] of refused) {
    it(`refuses ${what} and sends nothing`, async () => {
      const before = world.counters()['messages']
      const answer = await session.post(`/send/${path}`, body)
      expect(answer).to.include({ status, success: false })
      expect(answer.error).to.include(error)
      expect(world.counters()['messages']).to.equal(before)
    })
  }

  it('ignores unknown fields, and lists them', async () => {
    const body = {
      Phone: ana.account.phone,
      Body: 'hello',
      Texto: 'y',
      Id: '',
      ContextInfo: { IsForwarded: null },
    }
    const response = await fetch(`${world.gateway.url}/send/text`, {
      method: 'POST',
      headers: session.headers,
      body: JSON.stringify(body),
    })
    expect(response.status).to.equal(200)
    expect(response.headers.get('x-ignored-fields')).to.equal('Texto')
    const { data } = (await response.json()) as { data: { Id: string } }
    await ana.wait(({ id }) => id === data.Id)
  })

  it('refuses a 70 MB body', async () => {
    const answer = await session.post('/send/image', `{"Phone":"1234567","Image":"${'A'.repeat(70e6)}"}`)
    expect(answer).to.include({ status: 413, error: 'Payload too large: at most 67108864 bytes' })
  })

  it('reports a number that is not on the network', async () => {
    const before = world.counters()['messages']
    const answer = await session.post('/send/text', { Phone: '5511900000000', Body: 'x' })
    expect(answer).to.include({ status: 404, success: false })
    expect(answer.error).to.include('is not on WhatsApp')
    expect(world.counters()['messages']).to.equal(before)
  })

  it('never sends an id twice: repeats the answer, refuses another request', async () => {
    const body = { Phone: ana.account.phone, Body: 'once', Id: 'order-17' }
    const first = await session.post('/send/text', body)
    const again = await session.post('/send/text', body)
    expect(first).to.include({ status: 200 })
    expect(again.data).to.deep.equal(first.data)
    const other = await session.post('/send/text', { ...body, Body: 'twice' })
    expect(other).to.include({ status: 422, error: 'Id order-17 was already used for another message' })
    await sent('/send/text', { Body: 'after' })
    expect(ana.messages().filter(({ id }) => id === 'order-17')).to.have.length(1)
  })

  refuses('POST /send/text', 'messages that the network refuses, with the reason', async () => {
    const { phone } = session.phone.account
    const outcomes: readonly [code: number, status: number, error: string][] = [
      [463, 403, 'WhatsApp refused'],
      [429, 429, 'Rate limited by WhatsApp'],
      [479, 502, 'Error sending message: refused with code 479'],
    ]
    for (const [Code, status, error] of outcomes) {
      world.fault({ Phone: phone, Fault: 'refuse', Code, Count: 1 })
      const answer = await session.post('/send/text', { Phone: ana.account.phone, Body: 'x' })
      expect(answer).to.include({ status, success: false })
      expect(answer.error).to.include(error)
    }
  })

  it('answers 504 if the network does not answer', async () => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'silent' })
    const answer = await session.post('/send/text', { Phone: ana.account.phone, Body: 'x' })
    world.fault({ Phone: phone, Fault: 'clear' })
    expect(answer).to.include({ status: 504, error: 'WhatsApp did not answer in time' })
  })

  it('logs no text and no file', async () => {
    await sent('/send/text', { Body: 'VERYPRIVATE' })
    const text = world.gateway.lines.join('')
    expect(text).not.to.include('VERYPRIVATE')
    expect(text).not.to.include(session.token)
  })
})
