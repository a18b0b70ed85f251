import { expect } from 'chai'
import { internalsOf } from '../../../../plugins/baileys/socket/internals.ts'
import { eventually } from '../../../support/eventually.ts'
import { readMetrics } from '../../../support/metrics.ts'
import { createProbe } from '../../../support/probe.ts'
import { admin, startWorld, type World } from '../../../support/world.ts'

describe('resend', () => {
  const probe = createProbe()
  let world: World
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
  })
  after(() => world.stop())

  it('distributes the sender key again for a first group message whose frame was lost', async () => {
    const session = await world.linked(await world.phone('Shop'))
    const ana = await world.phone('Ana')
    const { phone } = session.phone.account
    const { JID } = await ana.act({ Action: 'createGroup', Text: 'G', Participants: [phone] })
    const { wa } = await probe.socket(session)
    const noted = async () => (await wa.authState.keys.get('sender-key-memory', [String(JID)]))[String(JID)]
    // The record of who has the key is written before the frame with the key: that frame is lost.
    const { socket } = internalsOf(wa)
    if (!socket) throw new Error('no connection')
    const send = socket.send.bind(socket)
    const lost = new Promise<void>((resolve) => {
      let tail: Promise<unknown> = Promise.resolve()
      socket.send = (frame, done) => {
        tail = tail.then(noted).then((isNoted) => (isNoted ? resolve() : send(frame)))
        done?.()
      }
    })
    const answer = session.post('/send/text', { Phone: JID, Body: 'first', Id: 'LOST' })
    await lost
    world.fault({ Phone: phone, Fault: 'drop' })
    await answer
    const got = await ana.wait(({ id }) => id === 'LOST', 10_000)
    expect(got.raw.extendedTextMessage?.text).to.equal('first')
    expect([...ana.failures]).to.deep.equal([])
    expect(world.counters()['retries']).to.equal(0)
  })
  it('answers the devices of a chat, and no other that knows the id of its message', async () => {
    const session = await world.linked(await world.phone('Baker'))
    const [ana, eve] = [await world.phone('Ana'), await world.phone('Eve')]
    const send = async (phone: string, Body: string): Promise<string> =>
      (await session.post('/send/text', { Phone: phone, Body })).data.Id
    const resends = async () => (await readMetrics(world.gateway.url, admin)).value('wamux_resends_total')
    const secret = await send(ana.account.phone, 'for Ana alone')
    const own = await send(eve.account.phone, 'for Eve')
    const { attrs } = await eve.wait(({ id }) => id === own)
    for (const Id of [secret, own])
      await eve.act({ Action: 'askAgain', Id, Companion: String(attrs['from']) })
    await eventually(async () => (await resends()) || undefined, 'one is sent again')
    const last = await send(eve.account.phone, 'the last')
    await eve.wait(({ id }) => id === last)
    expect(eve.messages().map(({ id }) => id)).not.to.include(secret)
    expect(await resends()).to.equal(1)
  })
})
