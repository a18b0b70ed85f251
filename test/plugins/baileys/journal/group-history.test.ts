import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { admin, type LinkedSession, openShop, type World } from '../../../support/world.ts'

/** group_history_send */
const SEND = 15313

describe('the history of a group, shared with somebody who joins it', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let bea: Phone
  let group: string
  const texts = ['one', 'two', 'three']
  before(async () => {
    ;({ world, session, ana } = await openShop())
    bea = await world.phone('Bea')
    const Participants = [bea.account.phone]
    group = String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
    for (const Text of texts) {
      const from = Text === 'two' ? bea : ana
      const id = await from.send(group, { Text })
      await (from === ana ? bea : ana).wait((message) => message.id === id)
    }
    await ana.act({ Action: 'addToGroup', Chat: group, Participants: [session.phone.account.phone] })
  })
  after(() => world.stop())

  const share = (by: Phone, Participants = [session.phone.account.phone]) =>
    by.act({ Action: 'shareHistory', Chat: group, Participants })
  const allow = (phone: Phone) =>
    world.fault({ Fault: 'props', Phone: phone.account.phone, Props: { [SEND]: '1' } })
  const events = async (): Promise<{ type: string }[]> =>
    (await session.get('/events/history?class=All&limit=200')).data.Events
  const histories = async () =>
    (await events()).filter((event) => event.type === 'HistorySync' && JSON.stringify(event).includes(group))

  it('is refused from an account that may not share it, and from a member that is no admin', async () => {
    const refused = world.counters()['refused'] ?? 0
    await share(ana)
    await eventually(() => world.counters()['refused'] === refused + 1, 'refused')
    allow(bea)
    await share(bea)
    await eventually(() => world.counters()['refused'] === refused + 2, 'refused')
    expect(await histories()).to.deep.equal([])
  })

  it('is read as history, each message once, and none is a new message (whatsapp/40)', async () => {
    allow(ana)
    await share(ana)
    const [first] = await eventually(
      async () => {
        const found = await histories()
        return found.length > 0 && found
      },
      'read',
      { progress: () => events().then((all) => all.map(({ type }) => type)) },
    )
    const body = JSON.stringify(first)
    for (const text of texts) expect(body.split(`"conversation":"${text}"`)).to.have.length(2)
    // A later message shows that nothing else was logged before it.
    const id = await ana.send(group, { Text: 'welcome' })
    const later = await eventually(async () => {
      const all = await events()
      return all.some((event) => JSON.stringify(event).includes(id)) && all
    }, 'logged')
    const messages = later.filter(({ type }) => /Message$/.test(type)).map((event) => JSON.stringify(event))
    expect(messages.filter((one) => one.includes(group))).to.have.length(1)
    expect(messages.join())
      .to.not.include('"one"')
      .and.not.include('istoryBundle')
      .and.not.include('istoryNotice')
  })

  it('is not read by a member that it is not for', async () => {
    const before = (await histories()).length
    await share(ana, [bea.account.phone])
    const id = await ana.send(group, { Text: 'to all' })
    await eventually(
      async () => (await events()).some((event) => JSON.stringify(event).includes(id)),
      'logged',
    )
    expect((await histories()).length).to.equal(before)
    expect((await world.gateway.get('/sandbox/network', admin)).status).to.equal(200)
  })
})
