import { expect } from 'chai'
import { internalsOf } from '../../../../plugins/baileys/socket/internals.ts'
import { createProbe } from '../../../support/probe.ts'
import { startWorld, type World } from '../../../support/world.ts'

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
})
