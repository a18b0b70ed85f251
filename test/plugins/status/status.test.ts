import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { asValue, definePlugin } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

/** The address book that a contacts plugin would know. */
const known: { jid: string }[] = []
const addressBook = definePlugin({
  name: 'addressbook',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['contacts'],
  services: () => ({ contacts: asValue({ all: async () => known }) }),
})

describe('status posts', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bea: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ without: ['contacts'], extra: [addressBook] }))
    bea = await world.phone('Bea')
    known.push({ jid: ana.account.jid }, { jid: bea.account.jid })
  })
  after(() => world.stop())

  const mine = () => session.phone.account.phone
  const onlyAna = () => ({ StatusJidList: [ana.account.phone] })
  const mp4 = Buffer.concat([
    Buffer.from([0, 0, 0, 24]),
    Buffer.from('ftypisom\0\0\0\0isommp42'),
    Buffer.alloc(64),
  ])
  const video = `data:video/mp4;base64,${mp4.toString('base64')}`
  const hashOf = (dataUrl: string) =>
    createHash('sha256')
      .update(Buffer.from(dataUrl.split(',')[1] ?? '', 'base64'))
      .digest('hex')
  /** Whom the network passed a post on to, sorted, after the setting that the post names. */
  const audience = async (id: string): Promise<string[]> => {
    const { data } = await world.gateway.get('/sandbox/network', admin)
    const { Setting, To } = data.Statuses.find(({ Id }: { Id: string }) => Id === id)
    return [Setting, ...To.sort()]
  }
  const received = async (path: string, body: object, phone = ana) => {
    const { data, error } = await session.post(path, body)
    expect(data, error).to.include({ Details: 'Sent', Chat: 'status@broadcast' })
    const found = await phone.wait(({ id }) => id === data.Id)
    expect(found.chat).to.equal('status@broadcast')
    // The own phone shows it as well.
    await session.phone.wait(({ id }) => id === data.Id)
    return found
  }
  const refuseOnce = (Code: number) => world.fault({ Phone: mine(), Fault: 'refuse', Code, Count: 1 })
  const posts = async () => (await world.gateway.get('/sandbox/network', admin)).data.Statuses.length

  shows('POST /status/text', 'sends text, colours and font to the given recipients', async () => {
    const { message, from } = await received('/status/text', {
      Text: 'Open till ten',
      TextColor: -1,
      BackgroundColor: 0xff075e54,
      Font: 2,
      ...onlyAna(),
    })
    expect(from).to.include(session.phone.account.lid.replace('@lid', ''))
    expect(message['extendedTextMessage']).to.include({
      text: 'Open till ten',
      textArgb: 0xffffffff,
      backgroundArgb: 0xff075e54,
      font: 'FB_SCRIPT',
    })
  })

  it('POST /status/text accepts signed colours', async () => {
    const { message } = await received('/status/text', {
      Text: 'signed',
      BackgroundColor: -16_291_244,
      ...onlyAna(),
    })
    expect(message).to.have.nested.property('extendedTextMessage.backgroundArgb', 0xff076a54)
  })

  shows('POST /status/image', 'sends the picture', async () => {
    const Image = await picture(60, 50)
    const { message, media } = await received('/status/image', { Image, Caption: 'fresh', ...onlyAna() })
    expect(message['imageMessage']).to.include({ caption: 'fresh', width: 50, height: 50 })
    expect(media?.sha256).to.equal(hashOf(Image))
  })

  shows('POST /status/video', 'sends the video with its thumbnail', async () => {
    const JpegThumbnail = (await picture(20, 10)).split(',')[1]
    const { message, media } = await received('/status/video', {
      Video: video,
      Caption: 'film',
      JpegThumbnail,
      ...onlyAna(),
    })
    expect(message['videoMessage']).to.include({ caption: 'film', jpegThumbnail: JpegThumbnail })
    expect(media?.sha256).to.equal(hashOf(video))
  })

  it('is sent to the contacts that the status privacy allows', async () => {
    const post = async (): Promise<string[]> => {
      const { data, error } = await session.post('/status/text', { Text: 'for whom?' })
      expect(data, error).to.include({ Details: 'Sent' })
      return audience(data.Id)
    }
    const setAudience = (Type: string, Participants: string[]) =>
      session.phone.act({ Action: 'setAudience', Data: { Type }, Participants })
    const [a, b] = [ana.account.phone, bea.account.phone]
    expect(await post()).to.deep.equal(['contacts', ...[a, b, mine()].sort()])
    await setAudience('blacklist', [b])
    expect(await post()).to.deep.equal(['denylist', ...[a, mine()].sort()])
    await setAudience('whitelist', [b])
    expect(await post()).to.deep.equal(['allowlist', ...[b, mine()].sort()])
    await setAudience('contacts', [])
  })

  it('reaches the others if a contact has left the network', async () => {
    const gone = await world.phone('Gone')
    world.fault({ Phone: gone.account.phone, Fault: 'keyless' })
    const StatusJidList = [gone.account.phone, '5511900000000', bea.account.phone]
    await received('/status/text', { Text: 'still here', StatusJidList }, bea)
    expect(gone.messages()).to.be.empty
  })

  refuses('POST /status/text', 'posts that the network refuses, and invalid colours', async () => {
    refuseOnce(463)
    expect(await session.post('/status/text', { Text: 'x', ...onlyAna() })).to.include({ status: 403 })
    const before = await posts()
    const colour = await session.post('/status/text', { Text: 'x', TextColor: 0x1ffffffff, ...onlyAna() })
    expect(colour).to.include({ status: 400, success: false })
    expect(colour.error).to.include('Invalid TextColor')
    expect(await session.post('/status/text', { Text: 'x', Font: 3 })).to.include({ status: 400 })
    expect(await session.post('/status/text', { Text: 'x', StatusJidList: ['me'] })).to.include({
      status: 400,
    })
    expect(await posts()).to.equal(before)
  })

  it('refuses a post without recipients', async () => {
    const before = await posts()
    const contacts = known.splice(0)
    const answer = await session.post('/status/text', { Text: 'x' })
    known.push(...contacts)
    expect(answer).to.include({ status: 400, error: 'Missing StatusJidList in Payload' })
    expect(await posts()).to.equal(before)
  })

  refuses('POST /status/image', 'posts that the network refuses', async () => {
    refuseOnce(429)
    const Image = await picture()
    expect(await session.post('/status/image', { Image, ...onlyAna() })).to.include({ status: 429 })
    expect(await session.post('/status/image', { Image: 'aGVsbG8=', ...onlyAna() })).to.include({
      status: 415,
    })
  })

  refuses('POST /status/video', 'posts that the network refuses', async () => {
    refuseOnce(479)
    const answer = await session.post('/status/video', { Video: video, ...onlyAna() })
    expect(answer).to.include({ status: 502, error: 'Error sending message: refused with code 479' })
    expect(await session.post('/status/video', { Video: await picture(), ...onlyAna() })).to.include({
      status: 415,
    })
  })
})
