import { expect } from 'chai'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { businessPhone } from './shop.ts'

describe('collections of catalogues', () => {
  let world: World
  let shop: LinkedSession
  let person: LinkedSession
  before(async () => {
    world = await startWorld()
    shop = await world.linked(await businessPhone(world, 'Bakery'))
    person = await world.linked(await world.phone('Ana'))
  })
  after(() => world.stop())

  const list = (body: object, session = shop) => session.post('/business/catalog/collections', body)
  const product = async (name: string): Promise<string> => {
    const fields = { name, price: 1000, currency: 'BRL' }
    return (await shop.post('/business/catalog/create', fields)).data.ID
  }

  shows(
    'POST /business/catalog/collections',
    'lists those of the phone, for customers the visible part',
    async () => {
      const [bread, cake] = [await product('Bread'), await product('Cake')]
      const add = (Text: string, products: string[]) =>
        shop.phone.act({ Action: 'addCollection', Text, Data: { products } })
      const { Id: all } = await add('All @ once', [bread, cake])
      await add('Cakes', [cake])
      await shop.post('/business/catalog/hide', { id: cake })
      const own = (await list({})).data.Collections
      expect(own).to.have.length(2)
      expect(own[0]).to.include({ ID: all, Name: 'All @ once', ReviewStatus: 'APPROVED' })
      expect(own[0].Products.map(({ ID }: { ID: string }) => ID)).to.deep.equal([bread, cake])
      expect(own[0].Products[0]).to.include({ Name: 'Bread', Price: 1000, Currency: 'BRL' })
      for (const jid of [shop.phone.account.phone, shop.phone.account.lid]) {
        const [seen] = (await list({ jid, limit: 1 }, person)).data.Collections
        expect(seen.Products.map(({ ID }: { ID: string }) => ID)).to.deep.equal([bread])
      }
      expect((await list({ limit: 1, products: 1 })).data.Collections[0].Products).to.have.length(1)
    },
  )

  refuses(
    'POST /business/catalog/collections',
    'accounts without a catalogue, and limits over 100',
    async () => {
      expect(await list({ jid: person.phone.account.phone })).to.include({
        status: 404,
        error: `Catalogue of ${person.phone.account.jid} not found`,
      })
      expect(await list({}, person)).to.include({ status: 404 })
      expect(await list({ limit: 101 })).to.include({ status: 400 })
      expect(await list({ products: 0 })).to.include({ status: 400 })
    },
  )
})
