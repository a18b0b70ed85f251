import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

const BOT = '867051314767696@bot'

/** WhiskeySockets/Baileys#2822. */
describe('a message to a bot, written on the phone', () => {
  let world: World
  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  function ask(phone: Phone, text: string): Promise<string> {
    const messageSecret = randomBytes(32).toString('base64')
    return phone.send(BOT, { Message: { conversation: text, messageContextInfo: { messageSecret } } })
  }

  const waiting = async (phone: Phone): Promise<number> => {
    const { data } = await world.gateway.get(`/sandbox/phones/${phone.account.phone}`, admin)
    return data.Companions[0].Waiting
  }

  async function logged(session: LinkedSession, id: string): Promise<{ Chat: string; IsFromMe: boolean }[]> {
    const { data } = await session.get('/events?after=0&limit=500&class=Message')
    return data.Events.map(({ event }: { event: { Info: { ID: string } } }) => event.Info).filter(
      ({ ID }: { ID: string }) => ID === id,
    )
  }

  it('is confirmed in the chat of the bot by the gateway, and not sent again', async () => {
    const session = await world.linked(await world.phone('Shop'))
    const before = world.counters()['redelivered'] ?? 0
    const id = await ask(session.phone, 'is anybody there?')
    const infos = await eventually(async () => {
      const found = await logged(session, id)
      return found.length > 0 && found
    }, 'logged')
    expect(infos[0]).to.include({ Chat: BOT, IsFromMe: true })
    await eventually(async () => (await waiting(session.phone)) === 0, 'nothing waits on the network')
    expect(world.counters()).to.include({ redelivered: before, retries: 0 })
    expect(await logged(session, id)).to.have.length(1)
  })

  it('is asked for again by the gateway if it can not be decrypted', async () => {
    const session = await world.linked(await world.phone('Bea'))
    const { phone } = session.phone.account
    world.fault({ Phone: phone, Fault: 'garble', Count: 1 })
    const id = await ask(session.phone, 'once more')
    const found = async () => (await logged(session, id)).length === 1
    await eventually(found, 'logged once', { progress: () => world.counters()['retries'] })
    await eventually(async () => (await waiting(session.phone)) === 0, 'nothing waits on the network')
    expect((await logged(session, id))[0]).to.include({ Chat: BOT, IsFromMe: true })
  })

  it('is filed in the own chat by an unmodified client, and sent to it again and again', async () => {
    const phone = await world.phone('Ana')
    const client = await linkClient(world.gateway.service('sandbox').network, phone)
    const id = await ask(phone, 'and for you?')
    const { key } = await client.message((message) => message.key.id === id)
    expect(key.remoteJid).to.equal(phone.account.lid)
    await eventually(() => (world.counters()['redelivered'] ?? 0) > 2, 'redelivered', {
      progress: () => world.counters()['redelivered'],
    })
    expect(await waiting(phone)).to.be.greaterThan(0)
    await client.close()
  })
})
