import { expect } from 'chai'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { businessPhone, shopOf } from './shop.ts'

describe('business profiles', () => {
  let world: World
  let shop: LinkedSession
  let person: LinkedSession
  before(async () => {
    world = await startWorld()
    shop = await world.linked(await businessPhone(world, 'Bakery'))
    person = await world.linked(await world.phone('Ana'))
  })
  after(() => world.stop())

  const set = (field: string, value: string, session = shop) =>
    session.post(`/business/update/${field}`, { [field]: value })

  shows(
    'POST /business/get/profile',
    'reads all values set on the phone, not only the first of each field',
    async () => {
      const days = [
        { day_of_week: 'mon', mode: 'specific_hours', open_time: '480', close_time: '1080' },
        { day_of_week: 'sun', mode: 'open_24h' },
      ]
      await shop.phone.act({
        Action: 'setBusiness',
        Data: {
          description: 'Bread & more',
          address: 'Rua 1',
          email: 'a@b.example',
          websites: ['https://one.example', 'https://two.example/@us'],
          categories: ['686745248512777', '273819889375819'],
          hours: { timezone: 'America/Sao_Paulo', days },
        },
      })
      const own = await shop.post('/business/get/profile')
      expect(own.data).to.deep.equal({
        JID: shop.phone.account.jid,
        Description: 'Bread & more',
        Address: 'Rua 1',
        Email: 'a@b.example',
        Websites: ['https://one.example', 'https://two.example/@us'],
        Categories: [
          { ID: '686745248512777', Name: 'Grocery store' },
          { ID: '273819889375819', Name: 'Restaurant' },
        ],
        ProfileOptions: { commerce_experience: 'catalog' },
        CoverPhotoID: '',
        BusinessHoursTimeZone: 'America/Sao_Paulo',
        BusinessHours: [
          { DayOfWeek: 'mon', Mode: 'specific_hours', OpenTime: '480', CloseTime: '1080' },
          { DayOfWeek: 'sun', Mode: 'open_24h', OpenTime: '', CloseTime: '' },
        ],
      })
      for (const jid of [shop.phone.account.phone, shop.phone.account.jid, shop.phone.account.lid]) {
        const { data } = await person.post('/business/get/profile', { JID: jid })
        expect(data, jid).to.deep.equal(own.data)
      }
    },
  )

  refuses('POST /business/get/profile', 'an account that is not a business', async () => {
    const { jid } = person.phone.account
    expect(await shop.post('/business/get/profile', { jid })).to.include({
      status: 404,
      error: `Business profile of ${jid} not found`,
    })
    expect(await person.post('/business/get/profile')).to.include({ status: 404 })
    expect(await shop.post('/business/get/profile', { jid: 'nobody' })).to.include({ status: 400 })
  })

  shows('GET /business/get/categories', 'lists the categories of the network', async () => {
    const { data } = await shop.get('/business/get/categories')
    expect(data.Categories).to.deep.include({ ID: '273819889375819', Name: 'Restaurant' })
    expect(data.Categories).to.deep.include({ ID: '2248674865158217', Name: 'Not a business' })
  })

  refuses('GET /business/get/categories', 'an account that is not a business', async () => {
    expect(await person.get('/business/get/categories')).to.include({
      status: 403,
      error: 'WhatsApp refused: forbidden (403)',
    })
  })

  shows(
    'POST /business/update/desc',
    'sets the description on the network and keeps the other fields',
    async () => {
      const before = shopOf(world, shop.phone)
      expect(await set('desc', 'Pão às 7h, cafés @ 8h 🥐')).to.deep.include({
        status: 200,
        data: { Details: 'Description set' },
      })
      expect(shopOf(world, shop.phone)).to.deep.equal({ ...before, Description: 'Pão às 7h, cafés @ 8h 🥐' })
    },
  )

  // Baileys gives text to the encoder as a string, which makes `Rua 1@s.whatsapp.net` of this.
  shows('POST /business/update/address', 'sets an address with an @ unchanged', async () => {
    expect(await set('address', 'Rua 1: sala@2')).to.include({ status: 200 })
    expect(shopOf(world, shop.phone).Address).to.equal('Rua 1: sala@2')
  })

  // … and `a@c.example` of this.
  shows('POST /business/update/email', 'sets the e-mail address unchanged', async () => {
    expect(await set('email', 'a_b@c.example')).to.include({ status: 200 })
    expect(shopOf(world, shop.phone).Email).to.equal('a_b@c.example')
    const { data } = await person.post('/business/get/profile', { jid: shop.phone.account.phone })
    expect(data.Email).to.equal('a_b@c.example')
  })

  for (const [field, value, count] of [
    ['desc', 'x', 180],
    ['address', 'x', 60],
    ['email', 'x@y.example', 30],
  ] as const) {
    refuses(
      `POST /business/update/${field}`,
      'private accounts, texts that are too long, and empty ones',
      async () => {
        expect(await set(field, value, person)).to.include({
          status: 403,
          error: 'WhatsApp refused: forbidden (403)',
        })
        const before = shopOf(world, shop.phone)
        expect(await set(field, `${value}${'.long'.repeat(count)}`)).to.include({ status: 502 })
        expect(await set(field, '')).to.include({ status: 400, error: `Missing ${field} in Payload` })
        expect(shopOf(world, shop.phone)).to.deep.equal(before)
      },
    )
  }

  it('refuses what is not an e-mail address', async () => {
    expect(await set('email', 'a b@c')).to.include({
      status: 400,
      error: 'Invalid email: must be an e-mail address',
    })
  })
})
