import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { admin, openShop, type Shop } from '../../support/world.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

interface Shown {
  Seq: number
  ID: string
  Kind: string
  Text: string
  FromMe: boolean
  From: string
  Reactions: { From: string; Text: string }[]
  Edited: boolean
  Revoked: boolean
  Tick: string
  Media?: { Mimetype: string; Size: number; Unreadable?: true }
}

describe('what a phone of the sandbox shows', () => {
  let shop: Shop
  let number: string
  let ana: string
  before(async () => {
    shop = await openShop()
    number = shop.session.phone.account.phone
    ana = shop.ana.account.phone
  })
  after(() => shop.world.stop())

  const get = async (path: string) => (await shop.world.gateway.get(`/sandbox${path}`, admin)).data
  const post = async (path: string, body: object) => {
    const { data, error } = await shop.world.gateway.post(`/sandbox${path}`, body, admin)
    if (error) throw new Error(error)
    return data
  }
  const act = (phone: string, body: object) => post(`/phones/${phone}/actions`, body)
  const chat = async (phone: string, other: string, query = ''): Promise<Shown[]> =>
    (await get(`/phones/${phone}/chats/${other}${query}`)).Messages
  const bubble = (phone: string, other: string, id: string, fits: (shown: Shown) => boolean = () => true) =>
    eventually(
      async () => (await chat(phone, other)).find((one) => one.ID === id && fits(one)),
      `${id} on ${phone}`,
      { progress: () => chat(phone, other) },
    )

  it('ignores changes by people who may not make them', async () => {
    const bob = (await shop.world.phone('Bob')).account
    const eve = (await shop.world.phone('Eve')).account.phone
    const { JID } = await act(ana, { Action: 'createGroup', Text: 'Team', Participants: [bob.phone, eve] })
    const { Id } = await post(`/phones/${bob.phone}/messages`, { To: JID, Text: 'mine' })
    await bubble(eve, JID, Id)
    const theirs = { remoteJid: JID, id: Id, fromMe: false, participant: bob.lid }
    const own = { remoteJid: JID, id: Id, fromMe: true }
    const forged = [theirs, own].flatMap((key) => [
      {
        Edit: '1',
        Message: { protocolMessage: { key, type: 14, editedMessage: { conversation: 'forged' } } },
      },
      { Message: { protocolMessage: { key, type: 14, editedMessage: { conversation: 'forged' } } } },
      ...['7', '8', ''].map((Edit) => ({ Edit, Message: { protocolMessage: { key, type: 0 } } })),
      { Edit: '7', Message: { deviceSentMessage: { message: { protocolMessage: { key, type: 0 } } } } },
    ])
    await post('/faults', { Fault: 'lenientRevokes' })
    for (const { Edit = '', Message } of forged)
      await post(`/phones/${eve}/messages`, { To: JID, Message, ...(Edit ? { Edit } : {}) })
    await post('/faults', { Fault: 'clear' })
    const { Id: last } = await post(`/phones/${eve}/messages`, { To: JID, Text: 'last' })
    for (const phone of [ana, bob.phone, eve]) {
      await bubble(phone, JID, last)
      expect(await bubble(phone, JID, Id)).to.include({ Text: 'mine', Edited: false, Revoked: false })
    }
    const { Messages } = await get(`/phones/${ana}/messages`)
    const refused = Messages.filter(({ Refused }: { Refused?: boolean }) => Refused)
    expect(refused).to.have.length(forged.length)
    await act(ana, { Action: 'revoke', Id })
    for (const phone of [ana, bob.phone, eve]) await bubble(phone, JID, Id, ({ Revoked }) => Revoked)
  })

  it('shows a message on both phones, with the ticks of its way', async () => {
    const { Id } = await post(`/phones/${ana}/messages`, { To: number, Text: 'Is it open?' })
    expect(await bubble(number, ana, Id)).to.include({
      Text: 'Is it open?',
      FromMe: false,
      From: ana,
      Tick: '',
    })
    await bubble(ana, number, Id, ({ Tick }) => Tick === 'delivered')
    await act(number, { Action: 'read', Chat: ana })
    await bubble(ana, number, Id, ({ Tick }) => Tick === 'read')
    await shop.session.post('/send/text', { Phone: ana, Body: 'It is.', Id: 'ANSWER1' })
    expect(await bubble(ana, number, 'ANSWER1')).to.include({ Text: 'It is.', FromMe: false, From: number })
    expect(await bubble(number, ana, 'ANSWER1')).to.include({ FromMe: true, From: number })
  })

  it('shows reactions, an edit and a revocation in the message itself', async () => {
    const { Id } = await post(`/phones/${ana}/messages`, { To: number, Text: 'first' })
    await bubble(number, ana, Id)
    await act(number, { Action: 'react', Id, Text: '👍' })
    const reacted = await bubble(ana, number, Id, ({ Reactions }) => Reactions.length > 0)
    expect(reacted.Reactions).to.deep.equal([{ From: number, Text: '👍' }])
    await act(number, { Action: 'react', Id, Text: '' })
    await bubble(ana, number, Id, ({ Reactions }) => Reactions.length === 0)
    await act(ana, { Action: 'edit', Id, Text: 'second' })
    await bubble(number, ana, Id, ({ Text, Edited }) => Text === 'second' && Edited)
    await act(ana, { Action: 'revoke', Id })
    const revoked = await bubble(number, ana, Id, ({ Revoked }) => Revoked)
    expect(revoked).to.include({ Kind: 'revoked', Text: '', Edited: false })
  })

  it('shows no edit of somebody other than the author', async () => {
    const { Id } = await post(`/phones/${ana}/messages`, { To: number, Text: 'mine' })
    await bubble(number, ana, Id)
    await act(number, { Action: 'edit', Id, Text: 'forged' })
    const { Id: next } = await post(`/phones/${number}/messages`, { To: ana, Text: 'after it' })
    await bubble(ana, number, next)
    expect(await bubble(ana, number, Id)).to.include({ Text: 'mine', Edited: false })
  })

  it('serves the file of a picture as it was sent, and others only for download', async () => {
    const image = { image: `data:image/png;base64,${PNG}`, caption: 'a dot' }
    const { Id } = await post(`/phones/${ana}/messages`, { To: number, Message: image })
    const shown = await bubble(number, ana, Id)
    expect(shown).to.deep.include({
      Kind: 'image',
      Text: 'a dot',
      Media: { Mimetype: 'image/png', Size: 70 },
    })
    const file = await fileOf(number, Id)
    expect(file.headers.get('content-type')).to.equal('image/png')
    expect(Buffer.from(await file.arrayBuffer()).toString('base64')).to.equal(PNG)
    const page = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>').toString('base64')
    const message = { document: `data:;base64,${page}`, mimetype: 'image/svg+xml', fileName: 'a.svg' }
    const { Id: other } = await post(`/phones/${ana}/messages`, { To: number, Message: message })
    await bubble(number, ana, other)
    const { headers } = await fileOf(number, other)
    expect(headers.get('content-type')).to.equal('application/octet-stream')
    expect(headers.get('content-disposition')).to.equal('attachment')
    expect(headers.get('content-security-policy')).to.include('sandbox')
    expect(await shop.world.gateway.get(`/sandbox/phones/${ana}/messages/none/file`, admin)).to.include({
      status: 404,
    })
  })

  it('marks files that its app would not show or play', async () => {
    const shown = async (kind: string, data: Buffer, mimetype: string) => {
      const message = { [kind]: `data:;base64,${data.toString('base64')}`, mimetype }
      const { Id } = await post(`/phones/${ana}/messages`, { To: number, Message: message })
      return (await bubble(number, ana, Id, ({ Media }) => Media !== undefined)).Media
    }
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')
    const gif = Buffer.from('R0lGODlhAQABAAAAACH5BAEKAAEALAAAAAABAAEAAAICTAEAOw==', 'base64')
    const two = Buffer.from([1, 2])
    for (const [kind, data, mimetype] of [
      ['image', svg, 'image/svg+xml'],
      ['image', gif, 'image/gif'],
      ['sticker', gif, 'image/webp'],
      ['audio', two, 'audio/ogg; codecs=opus'],
      ['video', two, 'video/mp4'],
    ] as const)
      expect(await shown(kind, data, mimetype), `${kind} ${mimetype}`).to.deep.equal({
        Mimetype: mimetype,
        Size: data.length,
        Unreadable: true,
      })
    for (const [kind, data] of [
      ['image', Buffer.from(PNG, 'base64')],
      ['document', two],
    ] as const)
      expect(await shown(kind, data, 'image/png')).not.to.have.property('Unreadable')
  })

  it('refuses a message with a field that no message has', async () => {
    for (const [message, field] of [
      [{ conversatoin: 'typo' }, 'conversatoin'],
      [{ extendedTextMessage: { text: 'ok', txet: 'typo' } }, 'extendedTextMessage.txet'],
      [{ listMessage: { sections: [{ rows: [{ tilte: 'typo' }] }] } }, 'listMessage.sections.0.rows.0.tilte'],
      [{ image: `data:;base64,${PNG}`, capiton: 'typo' }, 'imageMessage.capiton'],
    ] as const) {
      const body = { To: number, Message: message }
      const answer = await shop.world.gateway.post(`/sandbox/phones/${ana}/messages`, body, admin)
      expect(answer).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(answer.error).to.include(`"${field}"`)
    }
  })

  it('lists the chats with their unread messages, until they are read', async () => {
    const cid = await shop.world.phone('Cid')
    for (const Text of ['one', 'two']) await post(`/phones/${cid.account.phone}/messages`, { To: ana, Text })
    const first = async () => (await get(`/phones/${ana}/chats`)).Chats[0]
    await eventually(async () => (await first()).Unread === 2, 'two unread')
    expect((await first()).Chat).to.equal(cid.account.lid)
    await act(ana, { Action: 'read', Chat: cid.account.phone })
    expect(await first()).to.include({ Unread: 0 })
  })

  it('pages through a long chat', async () => {
    const dora = (await shop.world.phone('Dora')).account.phone
    for (let i = 1; i <= 7; i += 1) await post(`/phones/${dora}/messages`, { To: ana, Text: `no ${i}` })
    await eventually(async () => (await chat(ana, dora)).length === 7, 'seven messages')
    const last = await chat(ana, dora, '?limit=3')
    expect(last.map(({ Text }) => Text)).to.deep.equal(['no 5', 'no 6', 'no 7'])
    const before = await chat(ana, dora, `?limit=3&before=${last[0]?.Seq}`)
    expect(before.map(({ Text }) => Text)).to.deep.equal(['no 2', 'no 3', 'no 4'])
  })

  it('shows calls, block list, username and whether it is on in the list of phones', async () => {
    const phone = async (who: string) =>
      (await get('/phones')).Phones.find(({ Phone }: { Phone: string }) => Phone === who)
    expect((await phone(number)).Companions).to.have.length(1)
    const { Id } = await act(ana, { Action: 'call', Chat: number })
    const call = { ID: Id, FromMe: true, Video: false, State: 'ringing' }
    expect((await phone(ana)).Calls[0]).to.include({ ...call, Chat: shop.session.phone.account.lid })
    await eventually(async () => (await phone(number)).Calls[0]?.State === 'ringing', 'it rings')
    await act(number, { Action: 'rejectCall', Chat: ana, Id })
    await eventually(async () => (await phone(ana)).Calls[0].State === 'rejected', 'rejected')
    await act(ana, { Action: 'block', Chat: number })
    expect((await phone(ana)).Blocked).to.deep.equal([shop.session.phone.account.lid])
    await act(ana, { Action: 'unblock', Chat: number })
    await act(ana, { Action: 'setUsername', Text: '@ana.shop' })
    await act(ana, { Action: 'switchOff' })
    expect(await phone(ana)).to.deep.include({ Username: 'ana.shop', On: false, Blocked: [] })
    await act(ana, { Action: 'switchOn' })
    expect(await phone(ana)).to.include({ On: true })
  })

  it('refuses a username that is taken or malformed', async () => {
    await act(ana, { Action: 'setUsername', Text: 'taken.name' })
    const set = (Text: string) =>
      shop.world.gateway.post(`/sandbox/phones/${number}/actions`, { Action: 'setUsername', Text }, admin)
    expect((await set('Taken.Name')).error).to.include('@Taken.Name is taken')
    expect((await set('a b')).error).to.include('@a b is not accepted')
    await act(ana, { Action: 'setUsername', Text: 'taken.name' })
  })

  it('scans the code that a session shows, by the id or name of the session', async () => {
    const { data: made } = await shop.world.gateway.post('/session/init', { Name: 'second' }, admin)
    await shop.world.gateway.post('/session/connect', { Immediate: false }, { token: made.Token })
    const phone = (await shop.world.phone('Eve')).account.phone
    const { JID } = await post(`/phones/${phone}/scan`, { Session: 'second' })
    expect(JID).to.include(phone)
    const unknown = await shop.world.gateway.post(`/sandbox/phones/${phone}/scan`, { Session: 'none' }, admin)
    expect(unknown).to.include({ status: 404 })
  })

  function fileOf(phone: string, id: string): Promise<Response> {
    const url = `${shop.world.gateway.url}/sandbox/phones/${phone}/messages/${id}/file`
    return fetch(url, { headers: { ...admin } })
  }
})
