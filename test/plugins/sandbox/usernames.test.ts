import { USyncQuery, USyncUser } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { linkClient } from '../../support/clients/client.ts'
import { createProbe } from '../../support/probe.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'

describe('people with a username', () => {
  let world: World
  let session: LinkedSession
  /** Hides her number. */
  let ana: Phone
  const probe = createProbe()
  before(async () => {
    world = await startWorld({ extra: [probe.plugin] })
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana', { username: 'ana.lima', hidesNumber: true })
  })
  after(() => world.stop())

  /** WhiskeySockets/Baileys#2742, which has no cause yet: the messages arrive here. */
  it('write to an unmodified client and to a gateway, which see only the LID (whatsapp/36)', async () => {
    const phone = await world.phone('Bea')
    const client = await linkClient(world.gateway.service('sandbox').network, phone)
    const sent = await ana.send(phone.account.phone, { Text: 'no number' })
    const { key } = await client.message((message) => message.key.id === sent)
    expect(key.remoteJid).to.equal(ana.account.lid)
    expect(key.remoteJidAlt).to.equal(undefined)
    const named = new USyncQuery().withContactProtocol().withUser(new USyncUser().withUsername('ana.lima'))
    expect((await client.wa.executeUSyncQuery(named))?.list).to.deep.equal([
      { id: ana.account.lid, contact: true },
    ])
    await client.close()

    const id = await ana.send(session.phone.account.phone, { Text: 'no number here' })
    const { body } = await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    expect(body['event']).to.have.property('Info').that.include({ Chat: ana.account.lid, SenderAlt: '' })
    expect(JSON.stringify(probe.events('Message'))).to.not.include(ana.account.phone)
  })

  it('get messages that name the username or the LID (whatsapp/36)', async () => {
    for (const Phone of ['@Ana.Lima', ana.account.lid]) {
      const { data, error } = await session.post('/send/text', { Phone, Body: `to ${Phone}` })
      expect(data, error).to.include({ Chat: ana.account.lid })
      const got = await ana.wait(({ id }) => id === data.Id)
      expect(got.message).to.have.nested.property('extendedTextMessage.text', `to ${Phone}`)
    }
    const open = await world.phone('Caio', { username: 'caio' })
    const { data, error } = await session.post('/send/text', { Phone: '@caio', Body: 'hi' })
    expect(data?.Chat, error).to.equal(open.account.jid)
  })

  it('are refused by their field if nobody has the name, and nothing is sent', async () => {
    const before = world.counters()['messages']
    const send = (Phone: string) => session.post('/send/text', { Phone, Body: 'x' })
    expect(await send('@nobody')).to.include({
      status: 404,
      error: 'Invalid Phone: @nobody is not a username on WhatsApp, or it requires a PIN',
    })
    expect(await send('@a b')).to.include({ status: 400, error: 'Invalid Phone: "@a b" is not a username' })
    const pin = await session.post('/chat/pin', { Chat: '@nobody' })
    expect(pin.error).to.include('Invalid Chat: @nobody')
    const group = await session.post('/group/create', { GroupName: 'x', Participants: ['@nobody'] })
    expect(group.error).to.include('Invalid Participants: @nobody')
    expect(world.counters()['messages']).to.equal(before)
  })

  it('are shown with it as users, contacts, members and senders (whatsapp/36)', async () => {
    const { data: check } = await session.post('/user/check', { Phone: ['@ana.lima', '@nobody'] })
    expect(check.Users.map(({ IsInWhatsapp }: { IsInWhatsapp: boolean }) => IsInWhatsapp)).to.deep.equal([
      true,
      false,
    ])
    const { data: info } = await session.post('/user/info', { Phone: ['@ana.lima'] })
    expect(info.Users[ana.account.lid]).to.include({ Username: 'ana.lima' })

    const { data: made } = await session.post('/group/create', {
      GroupName: 'Names',
      Participants: ['@ana.lima'],
    })
    const { data: group } = await session.post('/group/info', { GroupJID: made.JID })
    const member = group.Participants.find(({ JID }: { JID: string }) => JID === ana.account.lid)
    expect(member).to.include({ Username: 'ana.lima', PhoneNumber: '' })
    const own = group.Participants.find(({ JID }: { JID: string }) => JID !== ana.account.lid)
    expect(own).to.not.have.property('Username')

    const id = await ana.send(made.JID, { Text: 'to all' })
    const { body } = await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    expect(body['event'])
      .to.have.property('Info')
      .that.include({ Sender: ana.account.lid, SenderUsername: 'ana.lima', SenderAlt: '' })
    const { data: contacts } = await session.get('/user/contacts')
    expect(contacts[ana.account.lid]).to.include({ PushName: 'Ana', Username: 'ana.lima' })
  })

  it('are named as recipients of messages that the phone sent them', async () => {
    const id = await session.phone.send(ana.account.lid, { Text: 'from the phone' })
    const { body } = await probe.event('Message', ({ Info }) => (Info as { ID: string }).ID === id)
    expect(body['event'])
      .to.have.property('Info')
      .that.include({ Chat: ana.account.lid, RecipientUsername: 'ana.lima' })
  })

  it('can be blocked without a number', async () => {
    const { data, error } = await session.post('/user/block', { Phone: '@ana.lima' })
    expect(data?.JIDs, error).to.deep.equal([ana.account.lid])
    await session.post('/user/unblock', { Phone: ana.account.lid })
  })
})
