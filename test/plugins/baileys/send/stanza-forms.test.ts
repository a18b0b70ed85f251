import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../../support/eventually.ts'
import { picture } from '../../../support/picture.ts'
import { voice } from '../../../support/samples.ts'
import { admin, type LinkedSession, openShop, type World } from '../../../support/world.ts'

describe('what stanzas say of their content', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let image: string
  before(async () => {
    ;({ world, session, ana } = await openShop())
    image = await picture()
  })
  after(() => world.stop())
  afterEach(() => world.fault({ Fault: 'clear' }))

  const link = () => ({
    Text: 'see https://a.example',
    MatchedURL: 'https://a.example',
    Title: 'A page',
    Description: '',
    Image: image,
  })
  const to = () => ana.account.phone
  const ids = async (path: string, body: object): Promise<string> => {
    const { data, error } = await session.post(path, { Phone: to(), ...body })
    expect(data, error).to.include({ Details: 'Sent' })
    return data.Id
  }
  const shown = async (id: string) => {
    const { lid } = session.phone.account
    const { data } = await world.gateway.get(`/sandbox/phones/${to()}/chats/${lid}`, admin)
    return data.Messages.find(({ ID }: { ID: string }) => ID === id)
  }

  it('is that a picture is viewed once: the phone opens it once, and tells (whatsapp/38)', async () => {
    const id = await ids('/send/image', { Image: image, Caption: 'only you', ViewOnce: true })
    const got = await ana.wait((message) => message.id === id)
    expect(got.message['imageMessage']).to.include({ caption: 'only you', viewOnce: true })
    expect(got).to.not.have.property('unmarked')
    expect(await shown(id)).to.include({ ViewOnce: 'closed' })
    const { data } = await world.gateway.get(`/sandbox/phones/${to()}/messages`, admin)
    expect(data.Messages.find(({ ID }: { ID: string }) => ID === id)).to.not.have.property('Unmarked')
    const opened = await ana.act({ Action: 'open', Id: id })
    expect(opened['Mimetype']).to.equal('image/jpeg')
    expect(await shown(id)).to.include({ ViewOnce: 'opened' })
    const refused = await ana.act({ Action: 'open', Id: id }).catch(({ message }) => message)
    expect(refused).to.be.a('string').that.includes('File')
    const status = async () => (await session.post('/message/status', { Id: id })).data.Status
    await eventually(async () => (await status()) === 'Played', 'played', { progress: status })
  })

  it('is the same of a video and a voice message (whatsapp/38)', async () => {
    const mp4 = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isommp42').toString('base64')
    const video = await ids('/send/video', { Video: mp4, ViewOnce: true })
    expect((await ana.wait((message) => message.id === video)).raw.videoMessage?.viewOnce).to.equal(true)
    const audio = await ids('/send/audio', { Audio: `data:audio/ogg;base64,${voice(1)}`, ViewOnce: true })
    const got = await ana.wait((message) => message.id === audio)
    expect(got.raw.audioMessage).to.include({ ptt: true, viewOnce: true })
    expect(got).to.not.have.property('unmarked')
  })

  it('keeps companions from the content, of both sides (whatsapp/38)', async () => {
    const reader = await world.linked(await world.phone('Bea'), { subscribe: ['All'] })
    const own = await world.linked(session.phone, { subscribe: ['All'] })
    const id = await ids('/send/image', { Phone: reader.phone.account.phone, Image: image, ViewOnce: true })
    await reader.phone.wait((message) => message.id === id)
    for (const companion of [reader, own]) {
      const events = async () => {
        const { data } = await companion.get('/events/history?class=All&limit=200')
        return data.Events.filter((event: object) => JSON.stringify(event).includes(id))
      }
      const [first] = await eventually(
        async () => {
          const found = (await events()).filter(
            ({ type }: { type: string }) => type === 'UndecryptableMessage',
          )
          return found.length > 0 && found
        },
        'told',
        { progress: events },
      )
      expect(JSON.stringify(first)).to.include('"UnavailableType":"view_once"')
    }
  })

  it('stays with a message that is sent again', async () => {
    const id = await ids('/send/image', { Image: image, ViewOnce: true })
    await ana.wait((message) => message.id === id)
    const reader = await world.phone('Cid')
    const { JID } = await reader.act({
      Action: 'createGroup',
      Text: 'Team',
      Participants: [session.phone.account.phone, ana.account.phone],
    })
    const inGroup = await ids('/send/image', { Phone: JID, Image: image, ViewOnce: true })
    const got = await reader.wait((message) => message.id === inGroup)
    expect(got).to.not.have.property('unmarked')
  })

  it('has no place in newsletters, and none for audio files', async () => {
    const { data } = await session.post('/newsletter/create', { Name: 'News' })
    const newsletter = data.JID ?? data.Id ?? data.id
    for (const [path, body] of [
      ['/send/image', { Phone: newsletter, Image: image }],
      ['/send/audio', { Phone: to(), Audio: voice(1), Ptt: false }],
    ] as const) {
      const answer = await session.post(path, { ...body, ViewOnce: true })
      expect(answer.status).to.equal(400)
      expect(answer.error).to.include('ViewOnce')
    }
  })

  it('is the kind of a post, so that its preview is shown (whatsapp/38)', async () => {
    const jid = String((await session.phone.act({ Action: 'createNewsletter', Text: 'Daily' }))['JID'])
    await ana.act({ Action: 'followNewsletter', Chat: jid })
    const before = world.counters()
    const card = await ids('/send/preview2', { Phone: jid, ...link() })
    const got = await ana.wait((message) => message.id === card)
    expect(got.raw.extendedTextMessage).to.include({ matchedText: 'https://a.example', title: 'A page' })
    expect(got.attrs).to.include({ type: 'media' })
    const posted = await ids('/send/image', { Phone: jid, Image: image })
    await ana.wait((message) => message.id === posted)
    const { droppedCards, kindlessPosts } = world.counters()
    expect({ droppedCards, kindlessPosts }).to.deep.equal({
      droppedCards: before['droppedCards'],
      kindlessPosts: before['kindlessPosts'],
    })
  })

  it('is the kind of a document in an envelope, and of a link with a preview', async () => {
    const documentMessage = { url: 'https://a.example/1', mimetype: 'text/plain', fileName: 'a.txt' }
    const received = await ana.send(session.phone.account.phone, {
      Message: { documentWithCaptionMessage: { message: { documentMessage } } },
    })
    await session.phone.wait((message) => message.id === received)
    const before = world.counters()['droppedMedia']
    const id = await ids('/send/preview2', link())
    await ana.wait((message) => message.id === id)
    expect(world.counters()['droppedMedia']).to.equal(before)
  })
})
