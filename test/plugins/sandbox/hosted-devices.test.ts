import { expect } from 'chai'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { bytes, child, children, el } from '../../../plugins/sandbox/stanza.ts'
import type { Stanza } from '../../../plugins/sandbox/types.ts'
import type { NoiseConnection } from '../../support/clients/noise-client.ts'
import { linkRaw, type RawCompanion, stanzaWith } from '../../support/clients/raw-companion.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { picture } from '../../support/picture.ts'

describe('hosted devices on the local network', () => {
  let loose: LooseNetwork
  let bakery: Phone
  let ana: Phone
  before(async () => {
    loose = await startNetwork()
    bakery = await loose.phones.create({ name: 'Bakery', business: true })
    ana = await loose.phones.create({ name: 'Ana' })
    const { JID } = await bakery.act({ Action: 'addHostedDevice' })
    expect(JID).to.equal(`${bakery.account.phone}:99@hosted`)
  })
  after(() => loose.network.close())

  const counters = () => loose.network.view()['Counters'] as Record<string, number>
  const hostedLid = (): string => bakery.account.lid.replace('@lid', ':99@hosted.lid')
  async function online(companion: RawCompanion): Promise<NoiseConnection> {
    loose.network.fault({ Fault: 'pushQueue' })
    const connection = await companion.logIn()
    await stanzaWith(connection, 'offline')
    return connection
  }
  async function ask(connection: NoiseConnection, iq: Stanza): Promise<Stanza> {
    connection.send(iq)
    const of = ({ tag, attrs }: Stanza): boolean => tag === 'iq' && attrs['id'] === iq.attrs['id']
    return eventually(() => connection.stanzas.find(of), 'an answer')
  }

  async function devicesOf(connection: NoiseConnection, { account }: Phone): Promise<Stanza | undefined> {
    const query = el('usync', { mode: 'query', context: 'message' }, [
      el('query', {}, [el('devices', { version: 2 })]),
      el('list', {}, [el('user', { jid: account.lid })]),
    ])
    const id = `devices ${connection.stanzas.length}`
    const answer = await ask(
      connection,
      el('iq', { id, xmlns: 'usync', type: 'get', to: 's.whatsapp.net' }, [query]),
    )
    return child(child(child(child(answer, 'usync'), 'list'), 'user'), 'devices')
  }
  function keyIndexesOf(devices: Stanza | undefined) {
    const { ADVKeyIndexList, ADVSignedKeyIndexList } = wire.proto
    const signed = ADVSignedKeyIndexList.decode(bytes(child(devices, 'key-index-list')))
    return { ...signed, list: ADVKeyIndexList.decode(signed.details ?? new Uint8Array()) }
  }

  it('are in the list of devices, whose key indexes are signed as those of a hosted account (whatsapp/41)', async () => {
    const connection = await online(await linkRaw(loose, ana))
    const devices = await devicesOf(connection, bakery)
    expect(children(child(devices, 'device-list')).map(({ attrs }) => attrs)).to.deep.equal([
      { id: '0' },
      { id: '99', 'key-index': '99', is_hosted: 'true' },
    ])
    const { ADVEncryptionType } = wire.proto
    const { details, accountSignature, list } = keyIndexesOf(devices)
    expect(list).to.deep.include({ accountType: ADVEncryptionType.HOSTED, validIndexes: [99] })
    const keys = (jid: string) =>
      el('iq', { id: jid, xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, [
        el('key', {}, [el('user', { jid })]),
      ])
    const bundleOf = async (jid: string) => child(child(await ask(connection, keys(jid)), 'list'), 'user')
    const identity = bytes(child(await bundleOf(bakery.account.lid), 'identity'))
    const signed = Buffer.concat([Buffer.from([6, 7]), Buffer.from(details ?? [])])
    expect(wire.isSigned(identity, signed, accountSignature ?? new Uint8Array())).to.equal(true)
    // Its keys are found under its own servers alone.
    for (const jid of [hostedLid(), `${bakery.account.phone}:99@hosted`])
      expect(child(await bundleOf(jid), 'identity')?.tag).to.equal('identity')
    const plain = hostedLid().replace('hosted.', '')
    expect(child(await bundleOf(plain), 'error')?.attrs['code']).to.equal('404')
    await connection.close()
  })

  it('are not those of other accounts, whose lists lose a companion that is unlinked', async () => {
    const eva = await loose.phones.create({ name: 'Eva' })
    const [first, second] = [await linkRaw(loose, eva), await linkRaw(loose, eva)]
    const connection = await online(await linkRaw(loose, ana))
    const lists = async () => {
      const devices = await devicesOf(connection, eva)
      const ids = children(child(devices, 'device-list')).map(({ attrs }) => attrs['id'])
      return { ids, ...keyIndexesOf(devices) }
    }
    const before = await lists()
    expect(before).to.deep.include({ ids: ['0', '1', '2'] })
    expect(before.list).to.deep.include({ validIndexes: [1, 2], currentIndex: 2 })
    await eva.act({ Action: 'unlink', Companion: second.jid })
    const after = await lists()
    expect(after).to.deep.include({ ids: ['0', '1'] })
    // The highest index stays: a later companion gets another one.
    expect(after.list).to.deep.include({ validIndexes: [1], currentIndex: 2, rawId: before.list.rawId })
    const signed = Buffer.concat([Buffer.from([6, 2]), Buffer.from(after.details ?? [])])
    const asked = el('iq', { id: 'keys of eva', xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, [
      el('key', {}, [el('user', { jid: eva.account.lid })]),
    ])
    const identity = bytes(child(child(child(await ask(connection, asked), 'list'), 'user'), 'identity'))
    expect(wire.isSigned(identity, signed, after.accountSignature ?? new Uint8Array())).to.equal(true)
    await eva.act({ Action: 'unlink', Companion: first.jid })
    expect((await lists()).list).to.deep.include({ validIndexes: [], currentIndex: 2 })
    await connection.close()
  })

  it('get what phones write to the account and what its phone writes, and write to the same chats', async () => {
    const asked = await ana.send(bakery.account.phone, { Text: 'any bread left?' })
    const shown = await bakery.hosted.messages.wait(({ id }) => id === asked)
    expect(shown).to.deep.include({ chat: ana.account.lid, fromMe: false })
    const answered = await bakery.send(ana.account.phone, { Text: 'plenty' })
    const copy = await bakery.hosted.messages.wait(({ id }) => id === answered)
    expect(copy).to.deep.include({ chat: ana.account.lid, fromMe: true })

    const write = { Action: 'writeFromHosted', Chat: ana.account.phone, Text: 'we close at six' }
    const { Id } = await bakery.act(write)
    const theirs = await ana.wait(({ id }) => id === Id)
    expect(theirs).to.deep.include({ chat: bakery.account.lid, from: hostedLid(), fromMe: false })
    expect(theirs.attrs).to.include({ from: hostedLid(), sender_pn: bakery.account.jid })
    const own = await bakery.wait(({ id }) => id === Id)
    expect(own).to.deep.include({ chat: ana.account.lid, fromMe: true })
    // The account's own number beside the recipient, as no other own device has it (zapo #241).
    expect(own.attrs).to.include({
      from: hostedLid(),
      recipient: ana.account.lid,
      peer_recipient_pn: ana.account.jid,
      sender_pn: bakery.account.jid,
    })
    expect(counters()).to.include({ outdatedDevices: 0, misaddressed: 0, retries: 0 })
  })

  it('of accounts whose chats are addressed by number have the server of numbers', async () => {
    const [garage, bea] = [
      await loose.phones.create({ name: 'Garage', business: true, lidMigrated: false }),
      await loose.phones.create({ name: 'Bea', lidMigrated: false }),
    ]
    await garage.act({ Action: 'addHostedDevice' })
    const asked = await bea.send(garage.account.phone, { Text: 'is it repaired?' })
    await garage.hosted.messages.wait(({ id }) => id === asked)
    const { Id } = await garage.act({ Action: 'writeFromHosted', Chat: bea.account.jid, Text: 'it is' })
    const theirs = await bea.wait(({ id }) => id === Id)
    expect(theirs).to.include({ chat: garage.account.jid, from: `${garage.account.phone}:99@hosted` })
    expect(counters()).to.include({ misaddressed: 0, retries: 0 })
  })

  it('get nothing of groups', async () => {
    const { JID } = await ana.act({
      Action: 'createGroup',
      Text: 'Street',
      Participants: [bakery.account.phone],
    })
    const id = await ana.send(String(JID), { Text: 'for all' })
    await bakery.wait((message) => message.id === id)
    const last = await ana.send(bakery.account.phone, { Text: 'for the bakery' })
    await bakery.hosted.messages.wait((message) => message.id === last)
    expect(bakery.hosted.messages.all().some((message) => message.id === id)).to.equal(false)
    expect(bakery.hosted.failures).to.deep.equal([])
  })

  it('answer a request to send again only if it has keys', async () => {
    const connection = await online(await linkRaw(loose, ana))
    const write = { Action: 'writeFromHosted', Chat: ana.account.phone, Text: 'for the companion, too' }
    const { Id } = await bakery.act(write)
    await ana.wait(({ id }) => id === Id)
    const received = () =>
      connection.stanzas.filter(({ tag, attrs }) => tag === 'message' && attrs['id'] === Id)
    await eventually(() => received().length === 1, 'the message')
    const retry = el('retry', { count: 1, id: Id as string, t: '1', v: 1 })
    const registration = el('registration', {}, Buffer.alloc(4))
    const before = counters()['retries'] ?? 0
    connection.send(
      el('receipt', { id: Id as string, to: hostedLid(), type: 'retry' }, [retry, registration]),
    )
    await eventually(() => counters()['retries'] === before + 1, 'the request is forwarded')
    const last = await ana.send(bakery.account.phone, { Text: 'the last' })
    await bakery.hosted.messages.wait(({ id }) => id === last)
    expect(received()).to.have.length(1)
    await connection.close()
  })

  it('write files and other messages of one person to another, but nothing in groups', async () => {
    const image = await picture()
    const Data = { Message: { image, caption: 'the menu' } }
    const { Id } = await bakery.act({ Action: 'writeFromHosted', Chat: ana.account.phone, Data })
    const theirs = await ana.wait(({ id }) => id === Id)
    expect(theirs.raw.imageMessage).to.include({ caption: 'the menu', mimetype: 'image/jpeg' })
    expect(
      (await ana.file(String(Id))).data.equals(Buffer.from(image.split(',')[1] ?? '', 'base64')),
    ).to.equal(true)
    expect(counters()).to.include({ droppedMedia: 0 })
    const { JID } = await bakery.act({
      Action: 'createGroup',
      Text: 'Street',
      Participants: [ana.account.phone],
    })
    const inGroup = { Action: 'writeFromHosted', Chat: String(JID), Text: 'no' }
    const error = await bakery.act(inGroup).catch((reason: unknown) => reason)
    expect(error).to.have.property('code', 'FIELD_INVALID')
  })

  it('get nothing once they are removed, which others are told, and have new keys when added again', async () => {
    const connection = await online(await linkRaw(loose, ana))
    await bakery.act({ Action: 'removeHostedDevice' })
    const removed = await eventually(
      () => connection.stanzas.map((stanza) => child(stanza, 'remove')).find((one) => one !== undefined),
      'the removal is announced',
    )
    expect(child(removed, 'device')?.attrs).to.deep.equal({
      jid: `${bakery.account.phone}:99@hosted`,
      lid: hostedLid(),
      'key-index': '99',
    })
    const devices = await devicesOf(connection, bakery)
    expect(children(child(devices, 'device-list')).map(({ attrs }) => attrs)).to.deep.equal([{ id: '0' }])
    const { details, accountSignature, list } = keyIndexesOf(devices)
    expect(list.accountType ?? wire.proto.ADVEncryptionType.E2EE).to.equal(wire.proto.ADVEncryptionType.E2EE)
    expect(list).to.deep.include({ validIndexes: [], currentIndex: 99 })
    const bundle = el('iq', { id: 'keys', xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, [
      el('key', {}, [el('user', { jid: bakery.account.lid }), el('user', { jid: hostedLid() })]),
    ])
    const [phone, gone] = children(child(await ask(connection, bundle), 'list'))
    const signed = Buffer.concat([Buffer.from([6, 2]), Buffer.from(details ?? [])])
    const identity = bytes(child(phone, 'identity'))
    expect(wire.isSigned(identity, signed, accountSignature ?? new Uint8Array())).to.equal(true)
    expect(child(gone, 'error')?.attrs['code']).to.equal('404')

    const { outdatedDevices, retries } = counters()
    const known = bakery.hosted.messages.all().length
    for (const [from, to] of [
      [ana, bakery],
      [bakery, ana],
    ] as const) {
      const id = await from.send(to.account.phone, { Text: 'without the Cloud API' })
      await to.wait((message) => message.id === id)
    }
    expect(bakery.hosted.messages.all()).to.have.length(known)
    const write = { Action: 'writeFromHosted', Chat: ana.account.phone, Text: 'no' }
    for (const action of [write, { Action: 'removeHostedDevice' }]) {
      const error = await bakery.act(action).catch((reason: unknown) => reason)
      expect(error).to.have.property('code', 'FIELD_INVALID')
    }

    await bakery.act({ Action: 'addHostedDevice' })
    const written = [
      await ana.send(bakery.account.phone, { Text: 'welcome back' }),
      await bakery.send(ana.account.phone, { Text: 'it is new' }),
    ]
    for (const id of written) await bakery.hosted.messages.wait((message) => message.id === id)
    const { Id } = await bakery.act({ ...write, Text: 'back again' })
    await ana.wait(({ id }) => id === Id)
    expect(bakery.hosted.failures).to.deep.equal([])
    expect(counters()).to.include({ outdatedDevices, retries })
    await connection.close()
  })

  it('are of businesses alone, once', async () => {
    for (const phone of [ana, bakery]) {
      const error = await phone.act({ Action: 'addHostedDevice' }).catch((reason: unknown) => reason)
      expect(error).to.have.property('code', 'FIELD_INVALID')
    }
    const write = { Action: 'writeFromHosted', Chat: bakery.account.phone, Text: 'no' }
    const error = await ana.act(write).catch((reason: unknown) => reason)
    expect(error).to.have.property('code', 'FIELD_INVALID')
  })
})
