import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../support/picture.ts'
import { posting } from '../../support/posting.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('the profile of the account', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  let bea: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [probe.plugin] }))
    shop = session.phone
    bea = await world.phone('Bea')
    for (const phone of [ana, bea]) await shop.act({ Action: 'addContact', Chat: phone.account.phone })
    await probe.synced(session)
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Phone: shop.account.phone, Fault: 'clear' }))

  const refuseOnce = (Xmlns: string, Code: number) =>
    world.fault({ Phone: shop.account.phone, Fault: 'refuseQuery', Xmlns, Code })
  const post = posting(() => session)
  const privacy = () => shop.view()['Privacy'] as Record<string, string>
  const hidden = () => (shop.view()['HiddenFrom'] as Record<string, string[]>)['last']

  shows('POST /user/about', 'sets the about text, and clears it', async () => {
    for (const About of ['Open from seven ☕', '']) {
      expect((await post('/user/about', { About })).data.Details).to.equal('About text set')
      expect(shop.view()['About']).to.equal(About)
    }
  })

  refuses('POST /user/about', 'texts that are too long, and what the network refuses', async () => {
    await post('/user/about', { About: 'here' })
    expect((await post('/user/about', { About: 'x'.repeat(140) }, 400)).error).to.match(/^Invalid About/)
    expect((await post('/user/about', {}, 400)).error).to.equal('Missing About in Payload')
    refuseOnce('w:mex', 403)
    await post('/user/about', { About: 'there' }, 403)
    expect(shop.view()['About']).to.equal('here')
    world.fault({ Phone: shop.account.phone, Fault: 'mexError', Code: 429 })
    await post('/user/about', { About: 'again' }, 429)
  })

  shows('POST /user/profile/remove', 'removes the picture', async () => {
    await post('/user/profile', { Image: await picture() })
    expect(shop.view()['Picture']).not.to.equal('')
    await post('/user/profile/remove', {})
    expect(shop.view()['Picture']).to.equal('')
    expect(await session.get('/user/avatar')).to.include({ status: 404 })
  })

  refuses('POST /user/profile/remove', 'if the network refuses', async () => {
    const { data } = await post('/user/profile', { Image: await picture() })
    refuseOnce('w:profile:picture', 403)
    await post('/user/profile/remove', {}, 403)
    expect(shop.view()['Picture']).to.equal(data.PictureID)
  })

  shows('POST /user/privacy', 'changes each setting to each of its values', async () => {
    const NAMES = { LastSeen: 'last', GroupAdd: 'groupadd', Online: 'online', ReadReceipts: 'readreceipts' }
    for (const [Setting, Value] of [
      ['LastSeen', 'none'],
      ['GroupAdd', 'contacts'],
      ['Online', 'match_last_seen'],
      ['ReadReceipts', 'none'],
      ['LastSeen', 'all'],
      ['ReadReceipts', 'all'],
    ] as const) {
      const { data } = await post('/user/privacy', { Setting, Value })
      expect(data.Details).to.equal(`${Setting} is ${Value} now`)
      expect(privacy()).to.include({ [NAMES[Setting]]: Value })
      expect((await session.get('/user/privacy')).data).to.include({ [Setting]: Value })
    }
    for (const [Setting, Value] of [
      ['CallAdd', 'known'],
      ['Messages', 'contacts'],
      ['Defense', 'on_standard'],
      ['Stickers', 'none'],
      ['Profile', 'all'],
      ['Status', 'all'],
    ]) {
      await post('/user/privacy', { Setting, Value })
      expect((await session.get('/user/privacy')).data).to.include({ [String(Setting)]: Value })
    }
  })

  shows('POST /user/privacy', 'hides a setting from some contacts only', async () => {
    const except = (Except?: string[]) =>
      post('/user/privacy', {
        Setting: 'LastSeen',
        Value: 'contact_blacklist',
        ...(Except ? { Except } : {}),
      })
    await except([ana.account.phone])
    expect(privacy()).to.include({ last: 'contact_blacklist' })
    expect(hidden()).to.deep.equal([ana.account.phone])
    await except([bea.account.lid])
    expect(hidden()).to.deep.equal([bea.account.phone])
    await except()
    expect(hidden()).to.deep.equal([bea.account.phone])
    await except([ana.account.phone, bea.account.phone])
    expect(hidden()).to.have.members([ana.account.phone, bea.account.phone])
    await except([])
    expect(hidden()).to.deep.equal([])
  })

  refuses(
    'POST /user/privacy',
    'other values, foreign exceptions, and what the network refuses',
    async () => {
      await post('/user/privacy', {
        Setting: 'LastSeen',
        Value: 'contact_blacklist',
        Except: [ana.account.phone],
      })
      const before = { ...privacy() }
      const change = (body: object, status: number) => post('/user/privacy', body, status)
      expect((await change({ Setting: 'ReadReceipts', Value: 'contacts' }, 400)).error).to.equal(
        'Invalid Value: of ReadReceipts must be one of all, none',
      )
      expect((await change({ Setting: 'Shoes', Value: 'all' }, 400)).error).to.match(/^Invalid Setting/)
      const Except = [bea.account.phone]
      expect((await change({ Setting: 'LastSeen', Value: 'all', Except }, 400)).error).to.equal(
        'Invalid Except: needs the Value contact_blacklist',
      )
      const unknown = { Setting: 'LastSeen', Value: 'contact_blacklist', Except: ['5511900000000'] }
      expect((await change(unknown, 404)).errorCode).to.equal('NOT_ON_NETWORK')
      refuseOnce('privacy', 403)
      await change({ Setting: 'LastSeen', Value: 'all' }, 403)
      expect(privacy()).to.deep.equal(before)
      expect(hidden()).to.deep.equal([ana.account.phone])
    },
  )

  shows('GET /user/privacy/except', 'lists those excepted on the phone', async () => {
    await shop.act({ Action: 'hideFrom', Text: 'profile', Participants: [ana.account.phone] })
    const { data } = await session.get('/user/privacy/except?Setting=Profile')
    expect(data).to.deep.equal({ JIDs: [ana.account.jid] })
  })

  refuses(
    'GET /user/privacy/except',
    'settings without exceptions, and what the network refuses',
    async () => {
      expect((await session.get('/user/privacy/except?Setting=Online')).error).to.match(/^Invalid Setting/)
      refuseOnce('privacy', 429)
      expect(await session.get('/user/privacy/except?Setting=Profile')).to.include({ status: 429 })
    },
  )

  shows(
    'POST /user/disappearing-timer',
    'is the timer of new chats at once, here and on the phone',
    async () => {
      for (const [Timer, seconds] of [
        ['7d', 604_800],
        ['24h', 86_400],
      ] as const) {
        await post('/user/disappearing-timer', { Timer })
        expect(shop.view()['Disappearing']).to.equal(seconds)
        const someone = await world.phone('Someone')
        const { data } = await post('/send/text', { Phone: someone.account.phone, Body: 'soon gone' })
        const { expiration } = await someone.wait(({ id }) => id === data.Id)
        expect(expiration).to.equal(seconds)
      }
    },
  )

  refuses('POST /user/disappearing-timer', 'other times, and what the network refuses', async () => {
    await post('/user/disappearing-timer', { Timer: '24h' })
    expect((await post('/user/disappearing-timer', { Timer: '1h' }, 400)).error).to.equal(
      'Invalid Timer: must be one of off, 24h, 7d, 90d',
    )
    refuseOnce('disappearing_mode', 403)
    await post('/user/disappearing-timer', { Timer: 'off' }, 403)
    expect(shop.view()['Disappearing']).to.equal(86_400)
    const someone = await world.phone('Someone')
    const { data } = await post('/send/text', { Phone: someone.account.phone, Body: 'still soon gone' })
    expect((await someone.wait(({ id }) => id === data.Id)).expiration).to.equal(86_400)
  })
})
