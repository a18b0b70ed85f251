import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { phoneHas, settingOf } from '../../support/phone-settings.ts'
import { createProbe } from '../../support/probe.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

describe('account settings', () => {
  const probe = createProbe()
  let world: World
  let session: LinkedSession
  let shop: Phone
  let ana: Phone
  before(async () => {
    ;({ world, session, ana } = await openShop({ extra: [probe.plugin] }))
    shop = session.phone
    await probe.synced(session)
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Phone: shop.account.phone, Fault: 'clear' }))
  const refuse = (): void => world.fault({ Phone: shop.account.phone, Fault: 'refuseSettings', Code: 403 })

  shows('POST /user/name', 'sets the name on the phone and in messages to others', async () => {
    const answer = await session.post('/user/name', { Name: 'Corner shop' })
    expect(answer.data).to.deep.equal({ Details: 'Name changed', Name: 'Corner shop' })
    await phoneHas(
      shop,
      ['setting_pushName'],
      (action) => (action['pushNameSetting'] as { name: string }).name === 'Corner shop',
    )
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'hello' })
    const { attrs } = await ana.wait(({ id }) => id === data.Id)
    expect(attrs).to.include({ notify: 'Corner shop' })
  })
  refuses('POST /user/name', 'if the network refuses, or without a name', async () => {
    const before = settingOf(shop, 'setting_pushName')
    refuse()
    expect(await session.post('/user/name', { Name: 'Other' })).to.include({ status: 403 })
    expect(await session.post('/user/name', {})).to.include({
      status: 400,
      error: 'Missing Name in Payload',
    })
    expect(settingOf(shop, 'setting_pushName')).to.deep.equal(before)
  })

  shows('GET /user/appstate', 'restores settings that the session has lost', async () => {
    const bob = await world.phone('Bob')
    await shop.act({ Action: 'contact', Chat: bob.account.jid, Text: 'Bob of the garage' })
    await probe.event('Contact')
    const { wa } = await probe.socket(session)
    await wa.authState.keys.set({
      'app-state-sync-version': {
        critical_unblock_low: { version: 99, hash: Buffer.alloc(128), indexValueMap: {} },
      },
    })
    const { data } = await session.get('/user/appstate')
    expect(data.Details).to.equal('App state fetched')
    const versions = Object.fromEntries(
      data.Collections.map(({ Name, Version }: { Name: string; Version: number }) => [Name, Version]),
    )
    expect(versions).to.deep.equal({
      critical_block: 2,
      critical_unblock_low: 1,
      // The salt of tokens for first contacts.
      regular_high: 1,
      regular_low: 0,
      regular: 0,
    })
    const kept = await wa.authState.keys.get('app-state-sync-version', ['critical_unblock_low'])
    expect(kept['critical_unblock_low']?.version).to.equal(1)
  })
  refuses('GET /user/appstate', 'if the network refuses, and keeps the stored settings', async () => {
    const { wa } = await probe.socket(session)
    const versions = () => wa.authState.keys.get('app-state-sync-version', ['critical_block'])
    const before = (await versions())['critical_block']?.version
    refuse()
    expect(await session.get('/user/appstate')).to.include({
      status: 403,
      error: 'WhatsApp refused: forbidden (403)',
    })
    expect((await versions())['critical_block']?.version)
      .to.equal(before)
      .and.to.be.greaterThan(0)
  })

  it('accepts a name with an @ and stays connected', async () => {
    const logins = () => (world.gateway.service('sandbox').network.view()['Logins'] as unknown[]).length
    const before = logins()
    for (const Name of ['me@', '@', 'Team: x_1@y']) {
      expect((await session.post('/user/name', { Name })).data).to.include({ Name })
      expect(await session.get('/user/appstate')).to.include({ status: 200 })
      await phoneHas(
        shop,
        ['setting_pushName'],
        (action) => (action['pushNameSetting'] as { name: string }).name === Name,
      )
    }
    // Behind the announcements on the same link, or on the next one.
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'still here' })
    await ana.wait(({ id }) => id === data.Id)
    expect(logins()).to.equal(before)
  })
})
