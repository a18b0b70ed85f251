import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import type { World } from '../../support/world.ts'
import type { Body, Hook } from './hook.ts'
import { openShop, type Shop } from './shop.ts'

const AD = {
  Id: '120210000000000001',
  Url: 'https://fb.me/2aBcDeFgH',
  Headline: 'Fresh bread',
  Body: 'Write to us, we bake from seven',
  ClickId: 'ARAkLkA8rmlFeiCktEJQ-QTwRiyYHAFDLMNDBH0CD3qpjd0HR4irJ6LEkR7JwFF4XvnO',
  Picture: 'https://scontent.example/bread.jpg',
  App: 'instagram',
}

describe('where a message comes from', () => {
  let world: World
  let hook: Hook
  let ana: Phone
  let shop: string
  let close: Shop['close']
  let session: Shop['session']
  /** The JSON examples in the README, by what they show. */
  let examples: Record<string, Record<string, unknown>>
  before(async () => {
    ;({ world, session, hook, ana, close } = await openShop())
    shop = session.phone.account.phone
    const readme = await readFile(new URL('../../../plugins/messages/README.md', import.meta.url), 'utf8')
    const blocks = [...readme.matchAll(/^ {4}\{\n(?: {5}.*\n)+ {4}\}$/gm)].map(([text]) => JSON.parse(text))
    examples = Object.assign({}, ...blocks)
  })
  after(() => close())

  const received = async (from: Phone, id: unknown): Promise<Body> => {
    const { message } = await hook.message(String(id))
    expect(message.from).to.include({ phone: from.account.phone })
    return message
  }
  const tapped = async (Data: Record<string, unknown>): Promise<Body> => {
    const { Id } = await ana.act({ Action: 'writeFromAd', Chat: shop, Text: 'Still some left?', Data })
    return received(ana, Id)
  }

  it('tells the ad that was tapped, as documented', async () => {
    const message = await tapped(AD)
    expect(message).to.include({ type: 'text', text: 'Still some left?' })
    expect(message.ad).to.deep.equal(examples['ad'])
    expect(message).not.to.have.property('businessOrigin')
  })

  it('tells a video with its preview, a post, and the greeting', async () => {
    const Video = 'https://www.facebook.com/1/videos/2/'
    const message = await tapped({ ...AD, Video, Type: 'post', Greeting: 'How can we help?' })
    expect(message.ad).to.include({ source: 'post', greeting: 'How can we help?' })
    expect(message.ad.media).to.deep.equal({ type: 'video', url: Video, thumbnailUrl: AD.Picture })
  })

  it('tells an ad of which only tokens came', async () => {
    const { ad } = await tapped({ ...AD, Opaque: true })
    const blank = { id: '', url: '', headline: '', body: '', ctwaClid: '' }
    expect(ad).to.deep.equal({ source: 'ad', app: 'instagram', ...blank })
  })

  it('takes no card of a link for an ad', async () => {
    const contextInfo = {
      externalAdReply: { title: 'Our site', body: 'New', sourceUrl: 'https://example.com', mediaType: 1 },
    }
    const id = await ana.send(shop, { Message: { extendedTextMessage: { text: 'see', contextInfo } } })
    expect(await received(ana, id)).not.to.have.property('ad')
  })

  it('tells how a business works whose messages say so, from then on', async () => {
    const bakery = await world.phone('Bakery', { business: true })
    const before = await bakery.send(shop, { Text: 'by our own hands' })
    expect(await received(bakery, before)).not.to.have.property('businessOrigin')
    const Data = { actors: 'bsp', storage: 'facebook' }
    await bakery.act({ Action: 'hostBusiness', Data })
    const { businessOrigin } = await received(bakery, await bakery.send(shop, { Text: 'by our provider' }))
    expect(Date.parse(businessOrigin.since)).to.be.closeTo(Date.now(), 60_000)
    expect({ ...businessOrigin, since: '2026-11-26T16:20:00.000Z' }).to.deep.equal(examples['businessOrigin'])
    await bakery.act({ Action: 'hostBusiness', Data: { actors: 'self', storage: 'facebook' } })
    const own = await received(bakery, await bakery.send(shop, { Text: 'by our program' }))
    expect(own.businessOrigin).to.include({ actors: 'self', storage: 'meta', isHosted: false })
  })
})
