import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { posting } from '../../support/posting.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('the username of the account', () => {
  let world: World
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  /** A second session, which looks the account up. */
  let other: LinkedSession
  before(async () => {
    ;({ world, session, ana } = await openShop())
    shop = session.phone
    other = await world.linked(await world.phone('Other'))
    await ana.act({ Action: 'setUsername', Text: 'ana.lima' })
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Phone: shop.account.phone, Fault: 'clear' }))

  const post = posting(() => session)
  const remove = () => world.gateway.call('DELETE', '/user/username', { headers: session.headers })
  const refuseOnce = (Code: number) =>
    world.fault({ Phone: shop.account.phone, Fault: 'refuseQuery', Xmlns: 'w:mex', Code })
  const shown = () => shop.view()['Username']
  /** How the others see the account. */
  const seen = async (): Promise<string | undefined> => {
    const { data } = await other.post('/user/info', { Phone: [shop.account.phone] })
    return data.Users[shop.account.jid].Username
  }
  const isFound = async (name: string): Promise<boolean> =>
    (await other.post('/user/check', { Phone: [name] })).data.Users[0].IsInWhatsapp
  const available = (name: string) => session.get(`/user/username/available?Username=${name}`)

  shows('POST /user/username', 'is what others see, and find the account by', async () => {
    for (const [Username, name] of [
      ['The_Shop', 'the_shop'],
      ['@the.shop', 'the.shop'],
    ] as const) {
      const { data } = await post('/user/username', { Username })
      expect(data.Details).to.equal('Username set')
      expect(shown()).to.equal(name)
      expect(await seen()).to.equal(name)
      expect(await isFound(`@${Username.replace('@', '')}`)).to.equal(true)
    }
    expect(await isFound('@the_shop')).to.equal(false)
    const { data, error } = await other.post('/send/text', { Phone: '@the.shop', Body: 'found you' })
    expect(data, error).to.include({ Chat: shop.account.jid })
    await shop.wait(({ id }) => id === data.Id)
  })

  refuses(
    'POST /user/username',
    'names that no account may have, taken ones, and what the network refuses',
    async () => {
      await post('/user/username', { Username: 'the.shop' })
      refuseOnce(403)
      const faults = {
        'a b': 'must have only letters from A to Z, digits, dots and underscores',
        ção: 'must have only letters from A to Z, digits, dots and underscores',
        ab: 'must have 3 to 35 characters',
        [`a${'b'.repeat(35)}`]: 'must have 3 to 35 characters',
        '123': 'must have a letter',
        '.shop': 'must not begin or end with a dot, nor have two in a row',
        'the..shop': 'must not begin or end with a dot, nor have two in a row',
        'WWW.shop': 'must not begin with www.',
        'my.WhatsApp.team': 'must not contain whatsapp, instagram, facebook, oculus',
      }
      for (const [Username, fault] of Object.entries(faults))
        expect((await post('/user/username', { Username }, 400)).error).to.equal(`Invalid Username: ${fault}`)
      expect((await post('/user/username', { Username: 'shop.com' }, 400)).error).to.match(
        /^Invalid Username: must not end with \.com, /,
      )
      expect((await post('/user/username', {}, 400)).error).to.equal('Missing Username in Payload')
      // The refusal was not used up: none of them was sent.
      await post('/user/username', { Username: 'another' }, 403)
      expect(await post('/user/username', { Username: 'Ana.Lima' }, 409)).to.include({
        errorCode: 'USERNAME_REFUSED',
        error: 'WhatsApp does not give the username @Ana.Lima: TAKEN',
      })
      expect(shown()).to.equal('the.shop')
      expect(ana.view()['Username']).to.equal('ana.lima')
    },
  )

  shows('GET /user/username/available', 'tells free ones, and suggests others for a taken one', async () => {
    expect((await available('quite.free')).data).to.deep.equal({ Available: true, Suggestions: [] })
    const { data } = await available('@ANA.lima')
    expect(data.Available).to.equal(false)
    expect(data.Suggestions).to.have.length(3)
    for (const name of data.Suggestions)
      expect((await available(name)).data, name).to.include({ Available: true })
    await post('/user/username', { Username: data.Suggestions[0] })
    expect(shown()).to.equal(data.Suggestions[0])
  })

  refuses('GET /user/username/available', 'malformed names, and what the network refuses', async () => {
    expect((await available('no')).error).to.equal('Invalid Username: must have 3 to 35 characters')
    refuseOnce(429)
    expect(await available('quite.free')).to.include({ status: 429 })
  })

  shows('GET /user/username', 'reads what the phone has set, and whether there is a PIN', async () => {
    await shop.act({ Action: 'setUsername', Text: 'by.phone' })
    const read = async () => (await session.get('/user/username')).data
    expect(await read()).to.deep.equal({ Username: 'by.phone', State: 'OWNED', HasPin: false })
    await shop.act({ Action: 'setUsernamePin', Text: '1357' })
    const answer = await read()
    expect(answer).to.deep.equal({ Username: 'by.phone', State: 'OWNED', HasPin: true })
    await shop.act({ Action: 'setUsername' })
    expect(await read()).to.deep.equal({ Username: '', State: '', HasPin: false })
  })

  for (const [how, Props] of [
    ['with its settings', {}],
    ['by a stored query', { 8763: '1' }],
  ] as const)
    it(`is an event when the phone changes it, told ${how}, and never with its PIN`, async () => {
      world.fault({ Phone: shop.account.phone, Fault: 'props', Props })
      const told = await eventsOf(session)
      const all = () => told.all.filter(({ type }) => type === 'UsernameChange').map(({ event }) => event)
      // Changes of earlier tests may be told now, in their order.
      await shop.act({ Action: 'setUsername', Text: 'before.it' })
      await told.wait('UsernameChange', ({ Username }) => Username === 'before.it')
      const changes = () => all().slice(all().findIndex(({ Username }) => Username === 'before.it') + 1)
      await shop.act({ Action: 'setUsername', Text: 'From.Phone' })
      await shop.act({ Action: 'setUsernamePin', Text: '1357' })
      // The gateway's own change is none of another device.
      await post('/user/username', { Username: 'from.here' })
      await shop.act({ Action: 'setUsername' })
      await eventually(
        async () => changes().some(({ Action }) => Action === 'removed'),
        'the removal is told',
      )
      const pin = how === 'by a stored query' ? ['set', 'from.phone'] : ['changed', '']
      expect(changes().map(({ Action, Username }) => [Action, Username])).to.deep.equal([
        ['set', 'from.phone'],
        pin,
        ['removed', ''],
      ])
      expect(Math.abs(Date.parse(changes()[0].Timestamp) - Date.now())).to.be.lessThan(60_000)
      expect(JSON.stringify(changes())).to.not.include('1357')
      await told.close()
    })

  refuses('GET /user/username', 'if the network refuses', async () => {
    refuseOnce(429)
    expect(await session.get('/user/username')).to.include({ status: 429 })
  })

  shows('POST /user/username/pin', 'lets others find the account only with the PIN', async () => {
    await post('/user/username', { Username: 'the.shop' })
    expect((await post('/user/username/pin', { Pin: '4821' })).data.Details).to.equal(
      'PIN of the username set',
    )
    expect(await isFound('@the.shop')).to.equal(false)
    expect(await isFound('@the.shop:1111')).to.equal(false)
    expect(await isFound('@the.shop:4821')).to.equal(true)
    const to = (Phone: string) => other.post('/send/text', { Phone, Body: 'with the PIN' })
    const refused = await to('@the.shop:9999')
    expect(refused).to.include({
      status: 404,
      error: 'Invalid Phone: @the.shop is not a username on WhatsApp, or it requires a PIN',
    })
    const { data } = await to('@The.Shop:4821')
    await shop.wait(({ id }) => id === data.Id)
    expect(await seen()).to.equal('the.shop')
  })

  refuses(
    'POST /user/username/pin',
    'anything but four digits, and accounts without a username',
    async () => {
      await post('/user/username', { Username: 'the.shop' })
      await post('/user/username/pin', { Pin: '4821' })
      for (const Pin of ['482', '48210', 'abcd', '48 1']) {
        const { error } = await post('/user/username/pin', { Pin }, 400)
        expect(error).to.equal('Invalid Pin: must have four digits')
      }
      refuseOnce(403)
      await post('/user/username/pin', { Pin: '1111' }, 403)
      expect(await isFound('@the.shop:4821')).to.equal(true)
      await remove()
      expect(await post('/user/username/pin', { Pin: '4821' }, 404)).to.include({
        errorCode: 'NETWORK_UNKNOWN',
      })
      await post('/user/username', { Username: 'the.shop' })
      expect(await isFound('@the.shop')).to.equal(true)
    },
  )

  shows('DELETE /user/username', 'frees it for others', async () => {
    await post('/user/username', { Username: 'for.all' })
    expect(await remove()).to.include({ status: 200 })
    expect(shown()).to.equal('')
    expect(await seen()).to.equal(undefined)
    expect(await isFound('@for.all')).to.equal(false)
    expect(await other.post('/user/username', { Username: 'for.all' })).to.include({ status: 200 })
  })

  refuses('DELETE /user/username', 'if the network refuses', async () => {
    await post('/user/username', { Username: 'the.shop' })
    refuseOnce(403)
    expect(await remove()).to.include({ status: 403 })
    expect(shown()).to.equal('the.shop')
  })

  it('is nothing that a key limited to some chats reads or changes', async () => {
    await post('/user/username', { Username: 'the.shop' })
    const limits = { Name: 'ana', Scopes: ['read', 'manage'], Chats: [ana.account.phone] }
    const headers = { token: (await post('/keys', limits)).data.Key }
    const { gateway } = world
    for (const [method, path, body] of [
      ['GET', '/user/username', undefined],
      ['GET', '/user/username/available?Username=quite.free', undefined],
      ['POST', '/user/username', { Username: 'quite.free' }],
      ['POST', '/user/username', { Username: ana.account.phone }],
      ['POST', '/user/username/pin', { Pin: '1111' }],
      ['DELETE', '/user/username', undefined],
    ] as const)
      expect(await gateway.call(method, path, { headers, body }), `${method} ${path}`).to.include({
        status: 403,
      })
    expect(shown()).to.equal('the.shop')
  })
})
