import { get } from 'node:https'
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

  it('takes the cover photo that was uploaded, and no other', async () => {
    const shown = () => (local.network.viewAccount(shop.account)['Shop'] as { CoverPhoto: string }).CoverPhoto
    const id = await owner.wa.updateCoverPhoto(image)
    expect(shown()).to.equal(String(id))
    const foreign = owner.wa.query({
      tag: 'iq',
      attrs: { to: 's.whatsapp.net', type: 'set', xmlns: 'w:biz' },
      content: [
        {
          tag: 'business_profile',
          attrs: { v: '3', mutation_type: 'delta' },
          content: [{ tag: 'cover_photo', attrs: { id: '1', op: 'update', token: 'x', ts: '1' } }],
        },
      ],
    })
    expect(await foreign.catch((error: Error) => error.message)).to.include('not-acceptable')
    await owner.wa.removeCoverPhoto(String(id))
    expect(shown()).to.equal('')
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
