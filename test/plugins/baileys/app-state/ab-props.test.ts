import { expect } from 'chai'
import { eventually } from '../../../support/eventually.ts'
import { createProbe } from '../../../support/probe.ts'
import type { LinkedSession } from '../../../support/sessions.ts'
import { openVersionShop, type VersionShop } from '../web-version/shop.ts'

const EDIT_WINDOW = 2983
const TOKENS_IN_CHATS = 10518

describe('AB props', () => {
  const probe = createProbe()
  let shop: VersionShop
  let session: LinkedSession
  let Phone: string
  before(async () => {
    shop = await openVersionShop({ extra: [{ plugin: probe.plugin }] })
    session = await shop.link('Shop')
    Phone = session.phone.account.phone
  })
  after(() => shop.stop())
  afterEach(() => shop.loose.network.fault({ Fault: 'clear' }))

  const serve = (props: Record<string, string>, ms?: number) =>
    shop.loose.network.fault({ Fault: 'props', Phone, Props: props, ...(ms ? { Ms: ms } : {}) })
  const value = async <T extends string | number | boolean>(code: number, otherwise: T) =>
    (await probe.socket(session)).abProp(code, otherwise)
  const becomes = (code: number, expected: number | boolean) =>
    eventually(
      async () => (await value(code, typeof expected === 'number' ? -1 : !expected)) === expected,
      `${code} is ${expected}`,
    )
  const reopened = async () => {
    const logins = shop.logins().length
    shop.cut()
    await eventually(() => shop.logins().length > logins, 'another login')
    await session.status({ State: 'open' })
  }

  it('are those of the network, by code and as the type of the default (whatsapp/27)', async () => {
    await becomes(EDIT_WINDOW, 1200)
    expect(await value(EDIT_WINDOW, '')).to.equal('1200')
    expect(await value(TOKENS_IN_CHATS, false)).to.equal(true)
    expect(await value(14303, true)).to.equal(false)
    expect([await value(77, 5), await value(77, ''), await value(77, true)]).to.deep.equal([5, '', true])
  })

  it('change within `refresh`, without a new link (whatsapp/27)', async () => {
    serve({ [EDIT_WINDOW]: '300' }, 1000)
    await reopened()
    await becomes(EDIT_WINDOW, 300)
    const logins = shop.logins().length
    serve({ [EDIT_WINDOW]: '301', 77: 'text' }, 1000)
    await becomes(EDIT_WINDOW, 301)
    expect(await value(77, 5)).to.equal(5)
    serve({}, 1000)
    await becomes(EDIT_WINDOW, 1200)
    expect(await value(77, 'gone')).to.equal('gone')
    expect(shop.logins()).to.have.length(logins)
  })

  it('hold after a restart of the gateway before the network answers, for Baileys too', async () => {
    serve({ [EDIT_WINDOW]: '400', [TOKENS_IN_CHATS]: '0' })
    await reopened()
    await becomes(EDIT_WINDOW, 400)
    await becomes(TOKENS_IN_CHATS, false)
    shop.loose.network.fault({ Fault: 'refuseQuery', Phone, Xmlns: 'abt', Count: 100 })
    await shop.restart()
    await session.status({ State: 'open' })
    expect(await value(EDIT_WINDOW, 0)).to.equal(400)
    const { wa } = await probe.socket(session)
    expect(wa.serverProps.privacyTokenOn1to1).to.equal(false)
  })

  it('are kept where the answer to a known hash has no values', async () => {
    serve({ [TOKENS_IN_CHATS]: '0' })
    await reopened()
    // The token prop is false from the test before; the other one shows that the network has answered.
    await becomes(EDIT_WINDOW, 1200)
    await becomes(TOKENS_IN_CHATS, false)
    const unchanged = () =>
      (shop.loose.network.view()['Counters'] as Record<string, number>)['propsUnchanged'] ?? 0
    const before = unchanged()
    // A link that is cut before Baileys has stored the hash asks without it.
    await eventually(async () => {
      await reopened()
      return unchanged() > before
    }, 'an answer without values')
    expect(await value(TOKENS_IN_CHATS, true)).to.equal(false)
    expect((await probe.socket(session)).wa.serverProps.privacyTokenOn1to1).to.equal(false)
  })

  it('are queried without a hash where what it stands for is lost', async () => {
    const rows = () => shop.database('baileys_props')
    await session.status({ State: 'open' })
    await reopened()
    await eventually(
      async () => ((await rows())[0]?.values ?? '').includes('"1200"'),
      'the values are stored',
    )
    await rows().del()
    await reopened()
    await becomes(EDIT_WINDOW, 1200)
  })
})
