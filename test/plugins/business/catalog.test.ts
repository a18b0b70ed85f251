import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { businessPhone, keptOf, shopOf } from './shop.ts'

const hashOf = (image: string): string =>
  createHash('sha256')
    .update(Buffer.from(image.slice(image.indexOf(',') + 1), 'base64'))
    .digest('hex')

const unknown = { status: 404, error: 'Product not found' }

describe('business catalogues', () => {
  let world: World
  let shop: LinkedSession
  let rival: LinkedSession
  let person: LinkedSession
  before(async () => {
    world = await startWorld()
    shop = await world.linked(await businessPhone(world, 'Bakery'))
    rival = await world.linked(await businessPhone(world, 'Other bakery'))
    person = await world.linked(await world.phone('Ana'))
  })
  after(() => world.stop())

  const bread = { name: 'Bread', price: 4500, currency: 'BRL' }
  const call = (what: string, body: object, session = shop) => session.post(`/business/catalog/${what}`, body)
  const created = async (fields: object = {}, session = shop): Promise<string> => {
    const answer = await call('create', { ...bread, ...fields }, session)
    expect(answer, answer.error).to.include({ success: true })
    return answer.data.ID
  }
  const kept = (id: string) => keptOf(world, shop, id)
  const unchanged = async (work: () => Promise<void>): Promise<void> => {
    const before = shopOf(world, shop.phone)
    await work()
    expect(shopOf(world, shop.phone)).to.deep.equal(before)
  }

  shows('POST /business/catalog/create', 'stores every field and both pictures on the network', async () => {
    const images = [await picture(10), (await picture(200)).split(',')[1] ?? '']
    const answer = await call('create', {
      name: 'Bolo @ casa',
      description: 'a_b@c: "quente" 🎂',
      price: 19_900,
      currency: 'brl',
      images,
      url: 'https://shop.example/@bolo',
      retailerId: 'sku@1',
      originCountryCode: 'br',
    })
    expect(answer, answer.error).to.include({ status: 200 })
    const { ID, Images, ...data } = answer.data
    expect(data).to.deep.equal({
      Name: 'Bolo @ casa',
      Description: 'a_b@c: "quente" 🎂',
      Price: 19_900,
      Currency: 'BRL',
      RetailerID: 'sku@1',
      URL: 'https://shop.example/@bolo',
      Availability: 'in stock',
      IsHidden: false,
      ReviewStatus: 'PENDING',
    })
    expect(kept(ID)).to.deep.equal({
      ID,
      Name: 'Bolo @ casa',
      Description: 'a_b@c: "quente" 🎂',
      Price: 19_900,
      Currency: 'BRL',
      RetailerID: 'sku@1',
      URL: 'https://shop.example/@bolo',
      Images: images.map((image, index) => ({ URL: Images[index].URL, SHA256: hashOf(image) })),
      Hidden: false,
      Review: 'APPROVED',
      Origin: [{ country_code_origin: 'BR' }],
    })
  })

  refuses('POST /business/catalog/create', 'private accounts and invalid products', async () => {
    expect(await call('create', bread, person)).to.include({
      status: 403,
      error: 'WhatsApp refused: not a business account (405)',
    })
    await unchanged(async () => {
      const refused: readonly [fields: object, status: number, error: string][] = [
        [{ name: ' ' }, 502, 'Failed to create the product: not-acceptable (406)'],
        [{ price: 2e12 }, 502, 'not-acceptable (406)'],
        [{ name: '' }, 400, 'Missing name in Payload'],
        [{ price: undefined }, 400, 'Missing price in Payload'],
        [{ price: 19.9 }, 400, 'price must be integer'],
        [{ price: -1 }, 400, 'Invalid price'],
        [{ currency: 'reais' }, 400, 'Invalid currency'],
        [{ url: 'javascript:alert(1)' }, 400, 'Invalid url'],
        [{ images: ['data:image/png;base64,aGVsbG8='] }, 415, 'Unsupported media in images'],
        [{ images: ['file:///etc/passwd'] }, 400, 'Could not decode base64'],
      ]
      for (const [fields, status, error] of refused) {
        const answer = await call('create', { ...bread, ...fields })
        expect(answer, JSON.stringify(fields)).to.include({ status })
        expect(answer.error).to.include(error)
      }
    })
  })

  shows(
    'POST /business/catalog/list',
    'lists products page by page for a customer, without hidden and rejected ones',
    async () => {
      const seller = await world.linked(await businessPhone(world, 'Big shop'))
      for (let number = 1; number <= 5; number += 1) await created({ name: `Bread ${number}` }, seller)
      await created({ name: 'Secret', isHidden: true }, seller)
      await created({ name: 'Contraband' }, seller)
      const jid = seller.phone.account.phone
      const pages: string[][] = []
      let after: string | undefined
      do {
        const { data, error } = await call('list', { jid, limit: 2, ...(after ? { after } : {}) }, person)
        expect(error).to.equal(undefined)
        pages.push(data.Products.map(({ Name }: { Name: string }) => Name))
        after = data.Paging.After
      } while (after)
      expect(pages).to.deep.equal([['Bread 1', 'Bread 2'], ['Bread 3', 'Bread 4'], ['Bread 5']])
      const own = await call('list', {}, seller)
      const states = own.data.Products.map((one: { Name: string; IsHidden: boolean; ReviewStatus: string }) =>
        [one.Name, one.IsHidden, one.ReviewStatus].join(),
      )
      expect(states.slice(4)).to.deep.equal([
        'Bread 5,false,APPROVED',
        'Secret,true,APPROVED',
        'Contraband,false,REJECTED',
      ])
    },
  )

  refuses('POST /business/catalog/list', 'an account without a catalogue, and an invalid page', async () => {
    const { jid } = person.phone.account
    expect(await call('list', { jid })).to.include({ status: 404, error: `Catalogue of ${jid} not found` })
    expect(await call('list', { after: 'elsewhere' })).to.include({ status: 502 })
    expect(await call('list', { limit: 101 })).to.include({ status: 400 })
  })

  shows('POST /business/catalog/info', 'reads one product, also beyond the first page', async () => {
    const seller = await world.linked(await businessPhone(world, 'Bigger shop'))
    const ids: string[] = []
    for (let number = 1; number <= 101; number += 1) {
      const { Id } = await seller.phone.act({ Action: 'addProduct', Data: { name: `Bread ${number}` } })
      ids.push(String(Id))
    }
    const { data } = await call('info', { jid: seller.phone.account.jid, id: ids[100] }, person)
    expect(data).to.include({ ID: ids[100], Name: 'Bread 101', ReviewStatus: 'APPROVED' })
  })

  refuses('POST /business/catalog/info', 'unknown and hidden products', async () => {
    const id = await created({ isHidden: true })
    expect(await call('info', { id })).to.include({ status: 200 })
    expect(await call('info', { id, jid: shop.phone.account.jid }, person)).to.include(unknown)
    expect(await call('info', { jid: person.phone.account.jid, id })).to.include(unknown)
    expect(await call('info', {})).to.include({ status: 400, error: 'Missing id in Payload' })
  })

  shows(
    'POST /business/catalog/edit',
    'changes the given fields and keeps all others, including pictures',
    async () => {
      const images = [await picture(1), await picture(2)]
      const whole = {
        description: 'old',
        url: 'https://a.example',
        retailerId: 'r',
        originCountryCode: 'PT',
        images,
      }
      const id = await created(whole)
      const before = kept(id)
      const { data } = await call('edit', { id, name: 'New bread', price: 5000 })
      expect(data).to.include({ ID: id, Name: 'New bread', Price: 5000, Currency: 'BRL', Description: 'old' })
      expect(kept(id)).to.deep.equal({ ...before, Name: 'New bread', Price: 5000 })
      const third = await picture(3)
      await call('edit', { id, description: '', images: [third] })
      expect(kept(id)).to.include({ Description: '', Name: 'New bread' })
      expect(kept(id)?.Images.map(({ SHA256 }) => SHA256)).to.deep.equal([hashOf(third)])
    },
  )

  // Baileys' productUpdate throws a TypeError when no pictures are named.
  shows('POST /business/catalog/edit', 'changes a product without pictures', async () => {
    const id = await created()
    expect(await call('edit', { id, name: 'Plain bread' })).to.include({ status: 200 })
    expect(kept(id)).to.include({ Name: 'Plain bread' })
  })

  it('applies both of two concurrent edits', async () => {
    const id = await created()
    await Promise.all([
      call('edit', { id, name: 'Both' }),
      call('hide', { id }),
      call('edit', { id, description: 'changes' }),
    ])
    expect(kept(id)).to.include({ Name: 'Both', Hidden: true, Description: 'changes' })
  })

  refuses(
    'POST /business/catalog/edit',
    'products of others and values that the network refuses',
    async () => {
      const theirs = await created({}, rival)
      const id = await created()
      await unchanged(async () => {
        expect(await call('edit', { id: theirs, name: 'Mine' })).to.include(unknown)
        expect(await call('edit', { id: '12345', name: 'x' })).to.include(unknown)
        expect(await call('edit', { id, price: 2e12 })).to.include({ status: 502 })
        expect(await call('edit', { name: 'x' })).to.include({ status: 400, error: 'Missing id in Payload' })
      })
      expect(keptOf(world, rival, theirs)).to.include({ Name: 'Bread' })
    },
  )

  shows(
    'POST /business/catalog/hide',
    'hides the product from customers and changes nothing else',
    async () => {
      const id = await created({ images: [await picture(7)], url: 'https://a.example' })
      const before = kept(id)
      expect((await call('hide', { id })).data).to.deep.equal({ Details: 'Product hidden' })
      expect(kept(id)).to.deep.equal({ ...before, Hidden: true })
      const jid = shop.phone.account.jid
      expect(await call('info', { jid, id }, person)).to.include({ status: 404 })
    },
  )

  // With Baileys a missing price becomes NaN and goes out as such when the product is sent back.
  shows('POST /business/catalog/hide', 'hides a product without a price', async () => {
    const { Id } = await shop.phone.act({ Action: 'addProduct', Data: { name: 'Ask for it' } })
    const id = String(Id)
    expect((await call('info', { id })).data).to.include({ Price: null, Currency: '' })
    expect(await call('hide', { id })).to.include({ status: 200 })
    expect(kept(id)).to.include({ Hidden: true, Price: null })
  })

  shows('POST /business/catalog/show', 'shows the product to customers', async () => {
    const id = await created({ isHidden: true })
    expect((await call('show', { id })).data).to.deep.equal({ Details: 'Product shown' })
    expect(kept(id)).to.include({ Hidden: false })
    const { data } = await call('info', { jid: shop.phone.account.jid, id }, person)
    expect(data).to.include({ ID: id, IsHidden: false })
  })

  for (const what of ['show', 'hide'] as const) {
    refuses(`POST /business/catalog/${what}`, 'products that are not in the own catalogue', async () => {
      const theirs = await created({ isHidden: what === 'show' }, rival)
      expect(await call(what, { id: theirs })).to.include(unknown)
      expect(await call(what, { id: theirs }, person)).to.include(unknown)
      expect(keptOf(world, rival, theirs)).to.include({ Hidden: what === 'show' })
    })
  }

  shows('POST /business/catalog/delete', 'deletes one or several products from the network', async () => {
    const ids = [await created(), await created(), await created()]
    expect((await call('delete', { id: ids[0] })).data).to.include({ Deleted: 1 })
    expect((await call('delete', { ids: [ids[1], ids[2], '12345'] })).data).to.include({ Deleted: 2 })
    for (const id of ids) expect(kept(id)).to.equal(undefined)
  })

  refuses('POST /business/catalog/delete', 'products of others and unknown ones', async () => {
    const theirs = await created({}, rival)
    expect(await call('delete', { id: theirs })).to.include({
      status: 403,
      error: 'WhatsApp refused: forbidden (403)',
    })
    expect(await call('delete', { id: '12345' })).to.include(unknown)
    expect(await call('delete', {})).to.include({ status: 400, error: 'Missing id in Payload' })
    expect(keptOf(world, rival, theirs)).to.include({ ID: theirs })
  })
})
