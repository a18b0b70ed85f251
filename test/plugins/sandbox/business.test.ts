import { createHash } from 'node:crypto'
import { get } from 'node:https'
import type { BinaryNode } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { picture } from '../../support/picture.ts'

/** As unmodified clients see it. */
describe('a business of the local network', () => {
  let local: LooseNetwork
  let shop: Phone
  let owner: Client
  let buyer: Client
  let image: Buffer
  before(async () => {
    local = await startNetwork()
    shop = await local.phones.create({ name: 'Shop', business: true })
    owner = await linkClient(local.network, shop)
    buyer = await linkClient(local.network, await local.phones.create({ name: 'Ana' }))
    image = Buffer.from((await picture(90, 300)).split(',')[1] ?? '', 'base64')
  })
  after(async () => {
    await Promise.all([owner?.close(), buyer?.close()])
    await local.network.close()
  })

  /** As any program fetches it that trusts the network's authority. */
  const fetched = (url: string): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      get(url, { ca: local.network.ca }, (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => parts.push(part))
        response.on('end', () => resolve(Buffer.concat(parts)))
      }).on('error', reject)
    })

  it("has pictures of products on the network's own host, and collections of products", async () => {
    const product = await owner.wa.productCreate({
      name: 'Bread',
      description: 'fresh',
      price: 5000,
      currency: 'BRL',
      originCountryCode: undefined,
      images: [image],
    })
    const { products } = await buyer.wa.getCatalog({ jid: shop.account.jid })
    const { original = '' } = products[0]?.imageUrls ?? {}
    expect(original).to.include(`https://${local.network.mediaHost}/`)
    expect((await fetched(original)).equals(image)).to.equal(true)

    const { Id } = await shop.act({
      Action: 'addCollection',
      Text: 'Bakery',
      Data: { products: [product.id] },
    })
    const { collections } = await buyer.wa.getCollections(shop.account.jid)
    expect(collections.map(({ id, name }) => ({ id, name }))).to.deep.equal([{ id: Id, name: 'Bakery' }])
    expect(collections[0]?.products.map(({ id }) => id)).to.deep.equal([product.id])
  })

  const change = (content: BinaryNode) =>
    owner.wa
      .query({
        tag: 'iq',
        attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'w:biz' },
        content: [{ tag: 'business_profile', attrs: { v: '3', mutation_type: 'delta' }, content: [content] }],
      })
      .then(
        () => 'accepted',
        (error: Error) => error.message,
      )
  const shown = () => local.network.viewAccount(shop.account)['Shop'] as Record<string, unknown>

  it('takes the cover photo that was uploaded, and no other', async () => {
    const id = await owner.wa.updateCoverPhoto(image)
    expect(shown()).to.include({
      CoverPhoto: String(id),
      CoverSHA256: createHash('sha256').update(image).digest('hex'),
    })
    const foreign = { id: '1', op: 'update', token: 'x', ts: '1' }
    expect(await change({ tag: 'cover_photo', attrs: foreign })).to.include('not-acceptable')
    expect(await change({ tag: 'cover_photo', attrs: { op: 'delete', id: '1' } })).to.include(
      'item-not-found',
    )
    await owner.wa.removeCoverPhoto(String(id))
    expect(shown()).to.include({ CoverPhoto: '', CoverSHA256: '' })
  })

  const hours = (...days: Record<string, string>[]): BinaryNode => ({
    tag: 'business_hours',
    attrs: { timezone: 'Europe/Berlin' },
    content: days.map((attrs) => ({ tag: 'business_hours_config', attrs })),
  })

  it('keeps several ranges of a day, and takes no hours that a clock does not have', async () => {
    const range = { day_of_week: 'mon', mode: 'specific_hours' }
    const days = [
      { ...range, open_time: '0', close_time: '720' },
      { ...range, open_time: '840', close_time: '1439' },
      { day_of_week: 'sun', mode: 'appointment_only' },
    ]
    expect(await change(hours(...days))).to.equal('accepted')
    expect(shown()['Hours']).to.deep.equal(days)
    for (const day of [
      { ...range, open_time: '0', close_time: '1440' },
      { ...range, open_time: '480' },
      range,
      { day_of_week: 'monday', mode: 'open_24h' },
      { day_of_week: 'mon', mode: 'closed' },
      { day_of_week: 'mon', mode: 'open_24h', open_time: '0', close_time: '1' },
    ])
      expect(await change(hours(day)), JSON.stringify(day)).to.include('not-acceptable')
    expect(shown()['Hours']).to.deep.equal(days)
    expect(await change(hours())).to.equal('accepted')
    expect(shown()['Hours']).to.deep.equal([])
  })

  it('has a picture with a small preview', async () => {
    await owner.wa.updateProfilePicture(shop.account.jid, image)
    const sizes: number[] = []
    for (const type of ['image', 'preview'] as const) {
      const url = await buyer.wa.profilePictureUrl(shop.account.jid, type)
      sizes.push((await fetched(url ?? '')).length)
    }
    const [whole = 0, preview = 0] = sizes
    expect(preview).to.be.within(1, whole - 1)
  })
})
