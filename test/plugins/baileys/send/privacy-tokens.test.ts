import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../../../support/eventually.ts'
import { openTokenShop, type TokenShop } from './token-shop.ts'

describe('a message to a stranger', () => {
  let shop: TokenShop
  before(async () => {
    shop = await openTokenShop()
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const fault = (Fault: string, more: object = {}) => shop.loose.network.fault({ Fault, ...more })

  it('has the token for a first contact, of a salt that came with the history alone (whatsapp/05)', async () => {
    fault('saltless', { Type: 'settings' })
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    const [ana, bob] = [await shop.phone(), await shop.phone()]
    for (const [phone, address] of [
      [ana, ana.account.jid],
      [bob, bob.account.lid],
    ] as const) {
      const { status, data, error } = await shop.says(session, address)
      expect(status, error).to.equal(200)
      expect(shop.tokenTo(phone)).to.deep.equal(shop.contactToken(owner, phone))
      await phone.wait(({ id }) => id === data.Id)
    }
    // As long as there is no better one.
    expect((await shop.says(session, ana.account.jid)).status).to.equal(200)
    expect(shop.tokenTo(ana)).to.deep.equal(shop.contactToken(owner, ana))
    await shop.knowsSalt(session)
  })

  it('has it of a salt that the settings alone told, and of the next one (whatsapp/05)', async () => {
    fault('saltless', { Type: 'history' })
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    await shop.knowsSalt(session)
    const ana = await shop.phone()
    expect((await shop.says(session, ana.account.jid)).status).to.equal(200)
    expect(shop.tokenTo(ana)).to.deep.equal(shop.contactToken(owner, ana))
    await owner.act({ Action: 'salt' })
    await shop.knowsSalt(session)
    const bob = await shop.phone()
    expect((await shop.says(session, bob.account.jid)).status).to.equal(200)
    expect(shop.tokenTo(bob)).to.deep.equal(shop.contactToken(owner, bob))
  })

  it('has none once the salt was removed, and is refused (whatsapp/05)', async () => {
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    await shop.knowsSalt(session)
    await owner.act({ Action: 'salt', Data: { On: false } })
    await shop.knowsSalt(session)
    const before = shop.counter('tokenless')
    const ana = await shop.phone()
    expect((await shop.says(session, ana.account.jid)).status).to.equal(403)
    expect(shop.counter('tokenless')).to.equal(before + 1)
    expect(shop.tokenTo(ana)).to.equal(undefined)
    expect(shop.sentTo(ana)).to.have.length(1)
    expect(ana.messages()).to.deep.equal([])
  })

  it('is told the salt by a look into the settings, on a session that was linked before it was kept', async () => {
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    await shop.knowsSalt(session)
    const { keys } = (await shop.probe.socket(session)).wa.authState
    await keys.set({ ['nct-salt' as 'tctoken']: { salt: null } })
    await session.post('/session/disconnect')
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    const ana = await shop.phone()
    expect((await shop.says(session, ana.account.jid)).status).to.equal(200)
    expect(shop.tokenTo(ana)).to.deep.equal(shop.contactToken(owner, ana))
    await shop.knowsSalt(session)
  })

  it('has the token that the recipient has given, and no other', async () => {
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    const ana = await shop.phone()
    await ana.send(owner.account.phone, { Text: 'hi' })
    const { keys } = (await shop.probe.socket(session)).wa.authState
    const { lid, jid } = ana.account
    const token = await eventually(async () => (await keys.get('tctoken', [lid]))[lid]?.token, 'a token')
    expect((await shop.says(session, jid)).status).to.equal(200)
    expect(shop.tokenTo(ana)).to.deep.equal({ tag: 'tctoken', value: Buffer.from(token) })
  })

  it('gives the recipient a token, once, though the answer contains none (whatsapp/25)', async () => {
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    const ana = await shop.phone()
    await shop.knowsSalt(session)
    const { keys } = (await shop.probe.socket(session)).wa.authState
    const { lid } = ana.account
    const stored = async () => (await keys.get('tctoken', [lid]))[lid]
    for (const _ of [1, 2]) {
      expect((await shop.says(session, ana.account.jid)).status).to.equal(200)
      await eventually(() => shop.givenTo(ana) === 1, 'given')
    }
    expect((await stored())?.token ?? []).to.have.length(0)
    await ana.send(owner.account.phone, { Text: 'hi' })
    await eventually(async () => (await stored())?.token?.length, 'a token in return')
    expect(shop.givenTo(ana)).to.equal(1)
  })

  it('has none to the own account, to groups, and where the AB prop says so', async () => {
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    const ana = await shop.phone()
    const { phone, jid } = owner.account
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'G', Participants: [phone] })
    expect((await shop.says(session, String(JID))).status).to.equal(200)
    expect((await shop.says(session, jid)).status).to.equal(200)
    expect(shop.tokenTo(owner)).to.equal(undefined)
    fault('props', { Phone: phone, Props: { 24941: '0' } })
    await session.post('/session/disconnect')
    await session.post('/session/connect', { Immediate: false })
    await session.status({ State: 'open' })
    const { abProp } = await shop.probe.socket(session)
    await eventually(() => !abProp(24941, true) || undefined, 'the prop is off')
    expect((await shop.says(session, ana.account.jid)).status).to.equal(403)
    expect(shop.tokenTo(ana)).to.equal(undefined)
  })

  it('shows the salt in no event, and in no file', async () => {
    const owner = await shop.phone()
    const session = await shop.linked(owner)
    await owner.act({ Action: 'salt' })
    await shop.knowsSalt(session)
    const salt = Buffer.from(shop.loose.network.saltOf(owner.account) ?? '')
    const { data } = await session.get('/events?limit=1000')
    expect(JSON.stringify(data)).not.to.include(salt.toString('base64')).and.not.include('nct_salt')
    const files = readdirSync(shop.dataDir).filter((name) => name.includes('sqlite'))
    expect(files).not.to.deep.equal([])
    for (const name of files) {
      const bytes = readFileSync(join(shop.dataDir, name))
      for (const text of [salt, salt.toString('base64'), salt.toString('hex')])
        expect(bytes.includes(text), name).to.equal(false)
    }
  })
})
