import { type BinaryNode, USyncQuery, USyncUser } from '@whiskeysockets/baileys'
import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { child, text } from '../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'
import { type Client, linkClient } from '../../support/clients/client.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
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
    // A PIN that is mistyped is still nearly one: no error repeats it.
    expect((await send('@ana.lima:12345')).error).to.equal(
      'Invalid Phone: the PIN of @ana.lima must have four digits',
    )
    expect((await send('@a b:1234')).error).to.equal('Invalid Phone: "@a b" is not a username')
    const { data: checked } = await session.post('/user/check', { Phone: ['@Ana.Lima:123'] })
    expect(checked.Users[0].Error).to.equal('Invalid Phone: the PIN of @ana.lima must have four digits')
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

/** The queries of WhatsApp Web (ZP spec/mex), by an unmodified client. */
describe('a username of the local network', () => {
  let local: LooseNetwork
  let ana: Phone
  let bea: Phone
  let client: Client
  let other: Client
  let beas: Client
  /** `<username>` of the notifications that the other client of the account got. */
  const told: Record<string, string>[] = []
  before(async () => {
    local = await startNetwork()
    ana = await local.phones.create({ name: 'Ana' })
    bea = await local.phones.create({ name: 'Bea', username: 'bea' })
    client = await linkClient(local.network, ana)
    other = await linkClient(local.network, ana)
    beas = await linkClient(local.network, bea)
    other.wa.ws.on('CB:notification,type:account_sync', ({ content }: BinaryNode) => {
      if (Array.isArray(content))
        for (const { tag, attrs } of content) if (tag === 'username') told.push(attrs)
    })
  })
  after(async () => {
    await Promise.all([client?.close(), other?.close(), beas?.close()])
    await local.network.close()
  })

  const mex = async (query_id: string, variables: object = {}) => {
    const content = Buffer.from(JSON.stringify({ variables }))
    const attrs = { xmlns: 'w:mex', type: 'get', to: 's.whatsapp.net' }
    const reply = (await client.wa.query({
      tag: 'iq',
      attrs,
      content: [{ tag: 'query', attrs: { query_id }, content }],
    })) as Stanza
    const { data, errors } = JSON.parse(text(child(reply, 'result')))
    return data ?? { code: errors[0].extensions.error_code }
  }
  const read = () => mex('25347099718279209')
  const check = async (input: string) =>
    (await mex('26122779627399568', { input })).xwa2_username_check as {
      result: string
      suggestions: string[]
    }
  const set = async (input?: string) => {
    const rest = { reserved: false, session_id: '', source: 'USER_INPUT' }
    return (await mex('25757341163897635', input === undefined ? {} : { input, ...rest })).xwa2_username_set
  }
  const setPin = async (pin: string) => (await mex('9749436995157074', { pin })).xwa2_username_pin_set
  /** The `<user>` in the answer to a look-up of Bea's. */
  const lookUp = async (username: string, pin?: string) => {
    const contact = { tag: 'contact', attrs: pin ? { username, pin } : { username } }
    const usync = {
      tag: 'usync',
      attrs: { sid: '1', mode: 'query', context: 'interactive', last: 'true', index: '0' },
      content: [
        { tag: 'query', attrs: {}, content: [{ tag: 'contact', attrs: {} }] },
        { tag: 'list', attrs: {}, content: [{ tag: 'user', attrs: {}, content: [contact] }] },
      ],
    }
    const attrs = { xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }
    const reply = (await beas.wa.query({ tag: 'iq', attrs, content: [usync] })) as Stanza
    const user = child(child(child(reply, 'usync'), 'list'), 'user')
    return { jid: user?.attrs['jid'], type: child(user, 'contact')?.attrs['type'] }
  }

  it('is set, found and deleted by its account, whose other devices are told', async () => {
    expect(await read()).to.deep.equal({ code: 404 })
    expect(await set('Ana.Lima')).to.deep.equal({ result: 'SUCCESS' })
    expect(await read()).to.deep.equal({
      xwa2_username_get: { username_info: { username: 'ana.lima', state: 'OWNED', pin: null } },
    })
    expect(await lookUp('ana.LIMA')).to.deep.equal({ jid: ana.account.jid, type: 'in' })
    expect(await set()).to.deep.equal({ result: 'SUCCESS' })
    expect(await lookUp('ana.lima')).to.deep.equal({ jid: undefined, type: 'out' })
    await eventually(() => told.length === 2, 'told')
    expect(told).to.deep.equal([{ username: 'ana.lima' }, {}])
  })

  it('is refused if it is taken or breaks a rule, and others are suggested for a taken one', async () => {
    expect(await check('free')).to.deep.equal({ result: 'SUCCESS', suggestions: [] })
    const { result, suggestions } = await check('BEA')
    expect(result).to.equal('TAKEN')
    expect(suggestions).to.deep.equal(['bea_1', 'bea_2', 'bea_3'])
    expect(await set('BEA')).to.deep.equal({ result: 'TAKEN' })
    const malformed = ['ab', 'a'.repeat(36), 'a b', '123', '.ana', 'ana.', 'a..na', 'www.ana', 'ana.com']
    for (const name of [...malformed, 'ana.html', 'TheWhatsApp'])
      expect([await set(name), await check(name)], name).to.deep.equal([
        { result: 'INVALID' },
        { result: 'INVALID', suggestions: [] },
      ])
    expect(await read()).to.deep.equal({ code: 404 })
  })

  it('is refused by the network alone on the phone, which checks nothing itself', async () => {
    for (const [name, why] of [
      ['a b', 'is not accepted by the network'],
      ['ab', 'is not accepted by the network'],
      ['www.ana', 'is not accepted by the network'],
      ['BEA', 'is taken'],
    ] as const) {
      const error = await ana.act({ Action: 'setUsername', Text: name }).catch((reason: unknown) => reason)
      expect(error).to.include({ code: 'FIELD_INVALID', message: `Invalid Text: @${name} ${why}` })
    }
    expect(await read()).to.deep.equal({ code: 404 })
  })

  it('leads to its account only with its PIN, if it has one', async () => {
    expect(await mex('9749436995157074', { pin: '1234' })).to.deep.equal({ code: 404 })
    await set('ana.lima')
    expect(await setPin('12')).to.deep.equal({ result: 'INVALID' })
    expect(await setPin('1234')).to.deep.equal({ result: 'SUCCESS' })
    await eventually(() => told.at(-1)?.['action'] === 'modify', 'told')
    expect((await read()).xwa2_username_get.username_info).to.include({ pin: '1234' })
    const locked = { jid: undefined, type: 'in' }
    expect(await lookUp('ana.lima')).to.deep.equal(locked)
    expect(await lookUp('ana.lima', '4321')).to.deep.equal(locked)
    expect(await lookUp('ana.lima', '1234')).to.deep.equal({ jid: ana.account.jid, type: 'in' })
    await set()
    await set('ana.lima')
    expect(await lookUp('ana.lima')).to.deep.equal({ jid: ana.account.jid, type: 'in' })
  })
})
