import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { picture } from '../../support/picture.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { businessPhone, shopOf } from './shop.ts'

const notBusiness = { status: 403, error: 'WhatsApp refused: forbidden (403)' }

describe('opening hours and cover pictures of businesses', () => {
  let world: World
  let shop: LinkedSession
  let person: LinkedSession
  before(async () => {
    world = await startWorld()
    shop = await world.linked(await businessPhone(world, 'Bakery'))
    person = await world.linked(await world.phone('Ana'))
  })
  after(() => world.stop())

  const kept = () => shopOf(world, shop.phone)
  const profileOf = async () =>
    (await person.post('/business/get/profile', { jid: shop.phone.account.phone })).data
  const open = { DayOfWeek: 'mon', Mode: 'specific_hours', OpenTime: 480, CloseTime: 720 }
  const set = (BusinessHours: object[], TimeZone = 'Europe/Berlin', session = shop) =>
    session.post('/business/update/hours', { TimeZone, BusinessHours })

  shows(
    'POST /business/update/hours',
    'sets each range of each day, and what was read sets it again',
    async () => {
      await set([
        open,
        { ...open, OpenTime: '840', CloseTime: 1080 },
        { DayOfWeek: 'SAT', Mode: 'open_24h' },
        { DayOfWeek: 'sun', Mode: 'appointment_only' },
      ]).then((answer) => expect(answer, answer.error).to.deep.include({ data: { Details: 'Hours set' } }))
      const range = { day_of_week: 'mon', mode: 'specific_hours' }
      const hours = [
        { ...range, open_time: '480', close_time: '720' },
        { ...range, open_time: '840', close_time: '1080' },
        { day_of_week: 'sat', mode: 'open_24h' },
        { day_of_week: 'sun', mode: 'appointment_only' },
      ]
      expect(kept().Hours).to.deep.equal(hours)
      const read = await profileOf()
      expect(read.BusinessHoursTimeZone).to.equal('Europe/Berlin')
      expect(read.BusinessHours[0]).to.deep.equal({ ...open, OpenTime: '480', CloseTime: '720' })
      await set([])
      expect(await profileOf()).to.deep.include({ BusinessHours: [], BusinessHoursTimeZone: '' })
      const { BusinessHours, BusinessHoursTimeZone } = read
      const again = await shop.post('/business/update/hours', { BusinessHours, BusinessHoursTimeZone })
      expect(again, again.error).to.include({ status: 200 })
      expect(kept().Hours).to.deep.equal(hours)
    },
  )

  refuses('POST /business/update/hours', 'days, modes, times and zones that do not exist', async () => {
    await set([open])
    const before = kept()
    for (const [hours, field] of [
      [{ ...open, DayOfWeek: 'monday' }, 'BusinessHours.0.DayOfWeek'],
      [{ ...open, Mode: 'closed' }, 'BusinessHours.0.Mode'],
      [{ ...open, CloseTime: 1440 }, 'BusinessHours.0.CloseTime'],
      [{ ...open, OpenTime: -1 }, 'BusinessHours.0.OpenTime'],
    ] as const) {
      const answer = await set([hours])
      expect(answer.error, field).to.include(`Invalid ${field}`)
      expect(answer).to.include({ status: 400 })
    }
    const { CloseTime: _, ...half } = open
    expect(await set([half])).to.include({
      status: 400,
      error: 'Missing BusinessHours.0.CloseTime in Payload',
    })
    expect(await set([open], 'Berlin')).to.include({
      status: 400,
      error: 'Invalid TimeZone: "Berlin" is not a time zone like Europe/Berlin',
    })
    expect(await set(Array(71).fill(open))).to.include({ status: 400 })
    expect(await shop.post('/business/update/hours', { BusinessHours: [open] })).to.include({
      status: 400,
      error: 'Missing TimeZone in Payload',
    })
    expect(await set([open], 'Europe/Berlin', person)).to.include(notBusiness)
    expect(kept()).to.deep.equal(before)
  })

  shows('POST /business/cover', 'uploads the picture and shows it in the profile', async () => {
    const image = await picture(77, 300)
    const answer = await shop.post('/business/cover', { Image: image })
    expect(answer, answer.error).to.include({ status: 200 })
    expect(answer.data).to.deep.equal({ Details: 'Cover picture set', CoverPhotoID: kept().CoverPhoto })
    const bytes = Buffer.from(image.split(',')[1] ?? '', 'base64')
    expect(kept().CoverSHA256).to.equal(createHash('sha256').update(bytes).digest('hex'))
    expect((await profileOf()).CoverPhotoID).to.equal(kept().CoverPhoto)
  })

  refuses('POST /business/cover', 'files that are no picture, and private accounts', async () => {
    await shop.post('/business/cover', { Image: await picture() })
    const before = kept()
    expect(await shop.post('/business/cover', { Image: 'aGVsbG8=' })).to.include({ status: 415 })
    expect(await person.post('/business/cover', { Image: await picture() })).to.include(notBusiness)
    expect(kept()).to.deep.equal(before)
  })

  shows('POST /business/cover/remove', 'removes the picture that the profile names', async () => {
    await shop.post('/business/cover', { Image: await picture() })
    const answer = await shop.post('/business/cover/remove')
    expect(answer, answer.error).to.deep.include({ status: 200, data: { Details: 'Cover picture removed' } })
    expect(kept()).to.include({ CoverPhoto: '', CoverSHA256: '' })
  })

  refuses('POST /business/cover/remove', 'without a cover picture, and by private accounts', async () => {
    await shop.post('/business/cover/remove')
    const before = kept()
    expect(await shop.post('/business/cover/remove')).to.include({
      status: 404,
      error: 'Cover picture not found',
    })
    expect(await person.post('/business/cover/remove')).to.include({ status: 404 })
    expect(kept()).to.deep.equal(before)
  })
})
