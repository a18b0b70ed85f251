import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { refuses, shows } from '../../support/run/proof.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

const BOT = '867051314767696@bot'
const CHEF = '1807055946486528$2'

describe('bots', () => {
  let world: World
  let session: LinkedSession
  let receiver: Receiver
  before(async () => {
    world = await startWorld()
    session = await world.linked(await world.phone('Shop'))
    receiver = await startReceiver()
    await session.post('/webhook', { WebhookURL: receiver.url })
  })
  after(async () => {
    await receiver.close()
    await world.stop()
  })

  const fault = (order: object) => world.fault({ Phone: session.phone.account.phone, ...order })
  /** The events that hold a text, parsed. */
  const events = (text: string) =>
    receiver.deliveries.filter(({ body }) => body.includes(text)).map(({ body }) => JSON.parse(body))
  const event = async (text: string) =>
    JSON.parse((await receiver.wait(({ body }) => body.includes(text))).body)

  shows('GET /bot/list', 'lists the bots of the network with their profiles', async () => {
    const { data } = await session.get('/bot/list')
    expect(data.Bots).to.have.length(2)
    expect(data.Bots[0]).to.deep.equal({
      JID: BOT,
      Name: 'Sandbox AI',
      Attributes: '',
      Description: 'Echoes each question',
      Category: 'assistant',
      IsDefault: true,
      Prompts: ['👋 Say hello'],
      PersonaID: '867051314767696$760019659443059',
      Commands: [{ Name: 'echo', Description: 'Says the same again' }],
      CommandsDescription: 'What it can do',
    })
    const { data: network } = await world.gateway.get('/sandbox/network', admin)
    const names = network.Accounts.map(({ Name }: { Name: string }) => Name)
    for (const { Name } of data.Bots) expect(names).to.include(Name)
  })

  refuses('GET /bot/list', 'if the network refuses', async () => {
    fault({ Fault: 'refuseQuery', Xmlns: 'bot', Code: 403 })
    expect(await session.get('/bot/list')).to.include({
      status: 403,
      error: 'WhatsApp refused: refused (403)',
    })
  })

  shows('POST /bot/message', 'delivers the question to the bot, and its answer as an event', async () => {
    const { data } = await session.post('/bot/message', { Body: 'What is two and two?' })
    expect(data).to.include({ Details: 'Sent', Chat: BOT })
    const asked = await session.phone.wait(({ id }) => id === data.Id)
    expect(asked).to.deep.include({ chat: BOT, fromMe: true })
    const answer = await session.phone.wait(({ message }) =>
      JSON.stringify(message).includes('Sandbox AI: What is two and two?'),
    )
    expect(answer.chat).to.equal(BOT)

    const { type, event: last } = await event('Sandbox AI: What is two and two?')
    expect(type).to.equal('Message')
    expect(last.Info).to.include({ Chat: BOT, Sender: BOT, IsFromMe: false, Edit: '1' })
    const first = events('"conversation":"…"').find(
      ({ event }) => event.Info.ID === last.Message.protocolMessage.key.ID,
    )
    expect(first.event.Info).to.include({ Chat: BOT, Edit: '' })
  })

  it('POST /bot/message asks the bot of a persona', async () => {
    const { data } = await session.post('/bot/message', { Body: 'soup', PersonaID: CHEF })
    expect(data.Chat).to.equal('1807055946486528@bot')
    await event('Sandbox Chef: soup')
  })

  it('accepts the Chat of an answer as recipient', async () => {
    const { data, error } = await session.post('/send/text', { Phone: BOT, Body: 'and three?' })
    expect(data, error).to.include({ Chat: BOT })
    await event('Sandbox AI: and three?')
  })

  it('decrypts the answer to a question of the phone', async () => {
    const messageSecret = randomBytes(32).toString('base64')
    const id = await session.phone.send(BOT, {
      Message: { conversation: 'from the phone', messageContextInfo: { messageSecret } },
    })
    await event('Sandbox AI: from the phone')
    const own = events(id).find(({ event }) => event.Info?.ID === id)
    expect(own.event.Info).to.include({ Chat: BOT, IsFromMe: true })
  })

  it('logs a redelivered answer once', async () => {
    await session.post('/bot/message', { Body: 'only once' })
    await event('Sandbox AI: only once')
    fault({ Fault: 'redeliver', Count: 1 })
    await session.post('/bot/message', { Body: 'and then' })
    await event('Sandbox AI: and then')
    expect(events('Sandbox AI: only once').filter(({ event }) => event.Info)).to.have.length(1)
  })

  it('decrypts question and answer from the offline queue', async () => {
    const messageSecret = randomBytes(32).toString('base64')
    await session.post('/session/disconnect')
    await session.phone.send(BOT, {
      Message: { conversation: 'meanwhile', messageContextInfo: { messageSecret } },
    })
    await session.phone.wait(({ message }) => JSON.stringify(message).includes('Sandbox AI: meanwhile'))
    await session.post('/session/connect', { Immediate: false })
    await event('Sandbox AI: meanwhile')
    expect(events('UndecryptableMessage')).to.be.empty
  })

  it('uses the default bot for an empty PersonaID', async () => {
    const { data, error } = await session.post('/bot/message', { Body: 'anybody?', PersonaID: '' })
    expect(error).to.equal(undefined)
    const { data: list } = await session.get('/bot/list')
    const usual = list.Bots.find(({ IsDefault }: { IsDefault: boolean }) => IsDefault)
    expect(data).to.include({ Details: 'Sent', Chat: usual.JID })
  })

  refuses('POST /bot/message', 'messages that the network refuses, and unknown bots', async () => {
    fault({ Fault: 'refuse', Code: 429, Count: 1 })
    const refused = await session.post('/bot/message', { Body: 'too much' })
    expect(refused).to.include({ status: 429, error: 'Rate limited by WhatsApp' })

    const before = world.counters()['messages']
    const unknown = await session.post('/bot/message', { Body: 'x', PersonaID: '1$1' })
    expect(unknown).to.include({ status: 404, error: 'PersonaID 1$1 not found' })
    expect(await session.post('/bot/message', { Body: '' })).to.include({ status: 400 })
    const nobody = await session.post('/send/text', { Phone: '123456@bot', Body: 'x' })
    expect(nobody).to.include({ status: 404, error: '123456@bot is not on WhatsApp' })
    expect(world.counters()['messages']).to.equal(before)
    expect(events('too much')).to.be.empty
  })
})
