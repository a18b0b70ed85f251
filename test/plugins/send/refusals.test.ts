import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { refuses } from '../../support/run/proof.ts'
import { voice } from '../../support/samples.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

const NO_GROUP = '120363999999999999@g.us'
const NO_NEWSLETTER = '120363888888888888@newsletter'

describe('sends that the network refuses', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  /** A group that it is not in. */
  let strange: string
  let image: string
  before(async () => {
    ;({ world, session, ana } = await openShop())
    image = await picture()
    strange = await group([await world.phone('Bea')])
  })
  after(() => world.stop())

  const group = async (members: Phone[]): Promise<string> => {
    const Participants = members.map(({ account }) => account.phone)
    return String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
  }

  const link = { Text: 'x', MatchedURL: 'https://a.b', Title: 't', Description: '' }
  const cards = [{ text: 'one' }, { text: 'two' }]
  const Buttons = [{ DisplayText: 'a' }]
  const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isommp42').toString('base64')
  const valid: Readonly<Record<string, () => object>> = {
    text: () => ({ Body: 'x' }),
    image: () => ({ Image: image }),
    audio: () => ({ Audio: voice(1) }),
    video: () => ({ Video: mp4 }),
    document: () => ({ Document: 'aGVsbG8=', FileName: 'a.txt' }),
    sticker: () => ({ Sticker: image }),
    location: () => ({ Latitude: 0, Longitude: 0 }),
    contact: () => ({ Vcard: { FullName: 'Caio', Phone: '5511988887777' } }),
    poll: () => ({ Question: 'q', MaxAnswer: 1, Options: ['a', 'b'] }),
    template: () => ({ Content: 'x', Buttons }),
    buttons: () => ({ Title: 't', Content: 'x', Footer: 'f', Buttons: [{ text: 'a' }] }),
    mediabutton: () => ({ Content: 'x', Type: 'image', Media: image, Buttons }),
    list: () => ({ ButtonText: 'b', Desc: 'd', TopText: 't', List: [{ title: 'a' }] }),
    locationbutton: () => ({}),
    pixbutton: () => ({ Body: 'x', PixKey: 'k' }),
    reviewpay: () => ({ Body: 'x', PixKey: 'k' }),
    preview: () => ({ ...link, Image: image }),
    preview2: () => ({ ...link, Image: image }),
    groupinvite: () => ({ Text: 'x', MatchedText: 'https://chat.whatsapp.com/abc', Title: 't' }),
    carousel: () => ({ Carousel: cards }),
    carouselmedia: () => ({ Carousel: cards.map((card) => ({ ...card, media_url: image })) }),
  }

  it('are answered with 404 for a newsletter or a group that does not exist', async () => {
    const before = world.counters()['messages']
    const text = { Phone: NO_NEWSLETTER, Body: 'x', Id: '3EB0AAAAAAAAAAAAAAAAAA' }
    const unknown = [
      await session.post('/send/text', text),
      // The stored refusal.
      await session.post('/send/text', text),
      await session.post('/send/image', { Phone: NO_NEWSLETTER, Image: image }),
    ]
    for (const one of unknown)
      expect(one, one.error).to.include({ status: 404, error: `${NO_NEWSLETTER} is not on WhatsApp` })
    const groups = [
      await session.post('/chat/disappearing-timer', { phone: NO_GROUP, timer: '24h' }),
      await session.post('/chat/delete', { Phone: NO_GROUP }),
    ]
    for (const one of groups)
      expect(one, one.error).to.include({ status: 404, error: `${NO_GROUP} not found` })
    expect(world.counters()['messages']).to.equal(before)
  })

  for (const [name, body] of Object.entries(valid)) {
    const path = `/send/${name}` as const
    refuses(`POST ${path}`, 'if not a group member, to an unknown number, and while restricted', async () => {
      const before = world.counters()['messages']
      const answerFor = (Phone: string) => session.post(path, { Phone, ...body() })
      const outside = await answerFor(strange)
      expect(outside, outside.error).to.include({ status: 403, success: false })
      const gone = await answerFor(NO_GROUP)
      expect(gone, gone.error).to.include({ status: 404, error: `${NO_GROUP} is not on WhatsApp` })
      const nobody = await answerFor('5511900000000')
      expect(nobody, nobody.error).to.include({ status: 404, success: false })
      world.fault({ Phone: session.phone.account.phone, Fault: 'refuse', Code: 463, Count: 1 })
      const locked = await answerFor(ana.account.phone)
      expect(locked, locked.error).to.include({ status: 403, success: false })
      expect(locked.error).to.include('463')
      expect(world.counters()['messages']).to.equal(before)
    })

    it(`POST ${path} refuses a body without its phone`, async () => {
      const answer = await session.post(path, body())
      expect(answer).to.include({ status: 400, error: 'Missing Phone in Payload' })
    })
  }
})
