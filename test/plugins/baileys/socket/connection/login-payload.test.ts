import { expect } from 'chai'
import { countryOf, localeOf } from '../../../../../plugins/baileys/socket/connection/locale.ts'
import type { Phone } from '../../../../../plugins/sandbox/phone/phone.ts'
import type { NewAccount } from '../../../../../plugins/sandbox/types.ts'
import { everyEngine } from '../../../../support/databases.ts'
import { eventually } from '../../../../support/eventually.ts'
import { startNetwork } from '../../../../support/network.ts'
import { startOn } from '../../../../support/restarts.ts'
import { linkPhone } from '../../../../support/sessions.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../../../support/world.ts'

interface Login {
  Phone: string
  Fields: Record<string, string | number | boolean>
  DiffersFromWaWeb: string[]
}

describe('what a session says of itself when it logs in', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  const all = () => world.gateway.service('sandbox').network.view()['Logins'] as Login[]
  const loginsOf = ({ account }: Phone) => all().filter(({ Phone }) => Phone === account.phone)
  const registration = () =>
    all()
      .filter(({ Phone }) => Phone === '')
      .at(-1)

  async function linked(options: NewAccount = {}): Promise<LinkedSession> {
    const session = await world.linked(await world.phone('Shop', options))
    await session.status({ State: 'open' })
    return session
  }
  async function reconnected({ phone, status }: LinkedSession): Promise<Login | undefined> {
    const { length } = loginsOf(phone)
    world.fault({ Fault: 'drop', Phone: phone.account.phone })
    await eventually(() => loginsOf(phone).length > length, 'the next login')
    await status({ State: 'open' })
    return loginsOf(phone).at(-1)
  }

  it('counts its logins (whatsapp/19)', async () => {
    const session = await linked()
    for (const _ of [1, 2]) await reconnected(session)
    const counted = () =>
      loginsOf(session.phone).map(({ Fields: { lc, connectAttemptCount } }) => [lc, connectAttemptCount])
    expect(counted()).to.deep.equal([
      [0, 0],
      [1, 1],
      [2, 2],
    ])
  })

  it('goes on counting after a restart, where the attempts of the process begin anew', async () => {
    const [engine] = everyEngine
    const place = engine?.fresh()
    if (!place) throw new Error('no engine')
    const loose = await startNetwork()
    const counted = () =>
      (loose.network.view()['Logins'] as Login[]).flatMap(({ Phone, Fields }) =>
        Phone ? [[Fields['lc'], Fields['connectAttemptCount']]] : [],
      )
    const first = await startOn(loose, place)
    await linkPhone(first, await loose.phones.create({ name: 'Shop' }))
    await first.stop()
    const second = await startOn(loose, place)
    await eventually(() => counted().length === 2, 'the login after the restart')
    await second.stop()
    await loose.network.close()
    expect(counted()).to.deep.equal([
      [0, 0],
      [1, 0],
    ])
  })

  it('has nothing in its payloads that WhatsApp Web has not (whatsapp/19)', async () => {
    const session = await linked()
    expect(registration()?.Fields).to.include({
      'deviceProps.os': 'Linux',
      'deviceProps.platformType': 'CHROME',
      'userAgent.manufacturer': '',
    })
    expect(registration()?.DiffersFromWaWeb).to.deep.equal([])
    expect(loginsOf(session.phone)[0]?.DiffersFromWaWeb).to.deep.equal([])
  })

  it('keeps the name that the operator gave, and has the version of a system that it names', async () => {
    const named = async (Os: string) => {
      const created = await world.gateway.post('/session/init', { Os }, admin)
      expect(created.status).to.equal(200)
      const headers = { token: created.data.Token }
      const { length } = all()
      await world.gateway.post('/session/connect', {}, headers)
      await eventually(() => all().length > length, 'the registration')
      await world.gateway.post('/session/disconnect', {}, headers)
      return registration()
    }
    expect((await named('Shop of Rui'))?.Fields['deviceProps.os']).to.equal('Shop of Rui')
    expect(registration()?.DiffersFromWaWeb).to.deep.equal(['deviceProps.os'])
    const mac = await named('Mac OS')
    expect(mac?.Fields['deviceProps.version']).to.equal('10.15.7')
    expect(mac?.DiffersFromWaWeb).to.deep.equal([])
    expect((await named('Windows'))?.DiffersFromWaWeb).to.deep.equal([])
  })

  it('says whether the chats of its account are addressed by LID, which the network tells it (whatsapp/19)', async () => {
    const old = await linked({ lidMigrated: false })
    expect(loginsOf(old.phone)[0]?.Fields['lidDbMigrated']).to.equal(false)
    world.fault({ Fault: 'props', Phone: old.phone.account.phone, Props: { 9435: '1' } })
    await reconnected(old)
    await eventually(async () => (await reconnected(old))?.Fields['lidDbMigrated'] === true, 'the new value')
    const session = await linked()
    expect(loginsOf(session.phone)[0]?.Fields['lidDbMigrated']).to.equal(true)
  })

  it('has the language and the country of its number', async () => {
    const { phone } = await linked({ phone: '5511912340001' })
    expect(loginsOf(phone)[0]?.Fields).to.include({
      'userAgent.localeLanguageIso6391': 'pt',
      'userAgent.localeCountryIso31661Alpha2': 'BR',
    })
    expect(localeOf('4915112345678')).to.deep.equal({ language: 'de', country: 'DE' })
    expect(localeOf('77011234567')).to.include({ country: 'KZ' })
    expect(localeOf('14165550100')).to.deep.equal({ language: 'en', country: 'CA' })
    expect(localeOf('18095550100')).to.deep.equal({ language: 'es', country: 'DO' })
    expect(countryOf('12125550100')).to.equal('US')
    expect(localeOf('99912345678')).to.deep.equal({ language: 'en', country: 'US' })
    expect(localeOf('')).to.deep.equal({ language: 'en', country: 'US' })
  })
})
