import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { picture } from '../../../support/picture.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

const UNANSWERED = { status: 504, error: 'WhatsApp did not answer in time' }

describe('query deadline', () => {
  let world: World
  let session: LinkedSession
  let stranger: Phone
  before(async () => {
    world = await startWorld({ config: { baileys: { queryTimeoutMs: 1000, ackTimeoutMs: 1000 } } })
    session = await world.linked(await world.phone('Shop'))
  })
  beforeEach(async () => {
    stranger = await world.phone('Stranger')
  })
  after(() => world.stop())

  /** Calls while the network is silent, and again when it answers. */
  const around = async (path: string, body: object) => {
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'silent' })
    const during = await session.post(path, body)
    world.fault({ Phone: phone, Fault: 'clear' })
    return [during, await session.post(path, body)]
  }

  it('reports a time-out, not an unknown number', async () => {
    const [during, after] = await around('/send/text', { Phone: stranger.account.phone, Body: 'hello' })
    expect(during).to.include(UNANSWERED)
    expect(after).to.include({ status: 200 })
    const [blocking, blocked] = await around('/user/block', { Phone: (await world.phone()).account.phone })
    expect(blocking).to.include(UNANSWERED)
    expect(blocked).to.include({ status: 200 })
  })

  it('allows uploads again after an unanswered look-up of the media host', async () => {
    const body = { Phone: session.phone.account.phone, Image: await picture() }
    const [during, after] = await around('/send/image', body)
    expect(during).to.include(UNANSWERED)
    expect(after).to.include({ status: 200 })
  })

  it('reports a presence that the network did not receive', async () => {
    const [during, after] = await around('/chat/typing/start', { Jid: stranger.account.phone })
    expect(during).to.include(UNANSWERED)
    expect(after).to.include({ status: 200 })
  })
})
