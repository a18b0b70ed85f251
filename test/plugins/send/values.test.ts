import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { voice } from '../../support/samples.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

type Path = Parameters<LinkedSession['post']>[0]

describe('values of requests', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let group: string
  let channel: string
  before(async () => {
    ;({ world, session, ana } = await openShop())
    const bea = await world.phone('Bea')
    const { data } = await session.post('/group/create', {
      GroupName: 'Team',
      Participants: [bea.account.phone],
    })
    group = data.JID
    channel = (await session.post('/newsletter/create', { Name: 'News' })).data.id
  })
  after(() => world.stop())

  const chat = (): string => ana.account.phone
  const order = (fields: object): object => ({
    ...{ Phone: chat(), Body: 'Bread', PixKey: 'k' },
    ...{
      Items: [
        { Name: 'Rye', Amount: 450 },
        { Name: 'Cake', Amount: 1_000 },
      ],
      ...fields,
    },
  })

  for (const [path, body] of [
    ['/user/presence', () => ({ Presence: 'AVAILABLE' })],
    ['/message/presence', () => ({ Phone: chat(), State: 'Composing', Media: 'AUDIO' })],
    ['/chat/pin', () => ({ Chat: chat(), Pin: 'UNPIN' })],
    ['/chat/mute', () => ({ Chat: chat(), Mute: 'Mute', Duration: 'ALWAYS' })],
    ['/chat/disappearing-timer', () => ({ phone: chat(), timer: '7D' })],
    ['/group/update', () => ({ GroupJID: group, ParticipantJID: [chat()], Action: 'ADD' })],
    ['/send/pixbutton', () => ({ Phone: chat(), Body: 'x', PixKey: 'k', PixType: 'Random' })],
  ] as const satisfies readonly [Path, () => object][]) {
    it(`are taken in any case by POST ${path}`, async () => {
      const answer = await session.post(path, body())
      expect(answer, answer.error).to.include({ status: 200 })
    })
  }

  it('are still refused where they are none, in the words of the route', async () => {
    expect(await session.post('/user/presence', { Presence: 'AWAY' })).to.include({
      errorCode: 'PRESENCE_INVALID',
    })
    const body = { GroupJID: group, ParticipantJID: [chat()], Action: 'BAN' }
    expect(await session.post('/group/update', body)).to.include({ errorCode: 'ACTION_INVALID' })
  })

  it('of 0 mean the default, as a field that typed clients leave out', async () => {
    const { data } = await session.post('/send/text', { Phone: channel, Body: 'first post' })
    await session.post('/send/text', { Phone: channel, Body: 'second post' })
    const all = await session.post('/newsletter/messages', { JID: channel })
    const zero = await session.post('/newsletter/messages', { JID: channel, Count: 0 })
    expect(zero, zero.error).to.include({ status: 200 })
    expect(zero.data).to.deep.equal(all.data)
    expect(all.data.Messages).to.have.length(2)
    expect(data.Id).to.equal(all.data.Messages[0].MessageID)

    for (const fields of [{}, { TotalOffset: 0, TotalValue: 0 }]) {
      const sent = await session.post('/send/reviewpay', order(fields))
      expect(sent, sent.error).to.include({ status: 200 })
      const { raw } = await ana.wait(({ id }) => id === sent.data.Id)
      expect(JSON.stringify(raw)).to.include('\\"total_amount\\":{\\"value\\":1450,\\"offset\\":100}')
    }
    const audio = await session.post('/send/audio', { Phone: chat(), Audio: voice(3), Duration: 0 })
    const { raw } = await ana.wait(({ id }) => id === audio.data.Id)
    expect(raw.audioMessage?.seconds).to.equal(3)
  })

  it('are refused where the message could not hold them', async () => {
    const before = world.counters()['messages']
    const ContextInfo = (fields: object): object => ({ Phone: chat(), Body: 'x', ContextInfo: fields })
    for (const [path, body, field] of [
      ['/send/audio', { Phone: chat(), Audio: voice(1), Duration: 1e12 }, 'Duration'],
      ['/send/audio', { Phone: chat(), Audio: voice(1), Duration: -1 }, 'Duration'],
      ['/send/text', ContextInfo({ Expiration: 1e12 }), 'ContextInfo.Expiration'],
      ['/send/text', ContextInfo({ ForwardingScore: 1e12 }), 'ContextInfo.ForwardingScore'],
      ['/send/reviewpay', order({ TotalValue: 1e16 }), 'TotalValue'],
      ['/send/reviewpay', order({ Items: [{ Name: 'a', Amount: 1e16 }] }), 'Amount'],
      ['/chat/mute', { Chat: chat(), Duration: 1e12 }, 'Duration'],
      ['/newsletter/messages', { JID: channel, Count: -1 }, 'Count'],
    ] as const) {
      const answer = await session.post(path, body)
      expect(answer, `${path} ${JSON.stringify(body)}`).to.include({ status: 400 })
      expect(answer.error).to.include(field)
    }
    expect(world.counters()['messages']).to.equal(before)
  })
})
