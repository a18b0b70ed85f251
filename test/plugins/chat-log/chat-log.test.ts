import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventsOf } from '../../support/events/events.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, openShop, startWorld, type World } from '../../support/world.ts'

interface Shown {
  Seq: number
  Message: { id: string; text: string; type: string; isFromMe: boolean }
  Edited: string
  Deleted: string
  Reactions: { Emoji: string }[]
  MediaURL?: string
}

for (const engine of engines) {
  describe(`reading chats back on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let bob: Phone

    before(async () => {
      ;({ world, session, ana } = await openShop(
        { extra: [chatLog], config: { 'chat-log': { searchMessages: 100 } } },
        engine,
      ))
      bob = await world.phone('Bob')
    })
    after(() => world.stop())

    const own = () => session.phone.account.phone
    const chats = async (query = '') => (await session.get(`/chats${query}`)).data
    const messages = async (jid: string, query = ''): Promise<{ Messages: Shown[]; Before: number }> =>
      (await session.get(`/chats/${jid}/messages${query}`)).data
    const texts = (page: { Messages: Shown[] }): string[] => page.Messages.map(({ Message }) => Message.text)
    const found = (jid: string, id: string, is: (shown: Shown) => unknown = () => true) =>
      eventually(async () => {
        const { Messages = [] } = (await messages(jid)) ?? {}
        return Messages.find((one) => one.Message.id === id && is(one))
      }, `${id} is shown`)

    it('lists chats by their newest message, with name, unread messages and the last message', async () => {
      await ana.send(own(), { Text: 'one' })
      await found(ana.account.phone, await ana.send(own(), { Text: 'two' }))
      await found(bob.account.phone, await bob.send(own(), { Text: 'three' }))
      const { Chats, Before } = await chats()
      expect(Before).to.equal(0)
      expect(Chats.map(({ Name }: { Name: string }) => Name)).to.deep.equal(['Bob', 'Ana'])
      const [first, second] = Chats
      expect(first).to.include({ Unread: 1, Type: 'person', Phone: bob.account.phone, LID: bob.account.lid })
      expect(second.Unread).to.equal(2)
      expect(second.Last.Message).to.include({ text: 'two', isFromMe: false })
      const page = await chats('?limit=1')
      expect(page.Chats).to.have.length(1)
      expect((await chats(`?limit=1&before=${page.Before}`)).Chats[0].Name).to.equal('Ana')
    })

    it('reads a chat page by page, newest first, by number, JID and LID', async () => {
      const page = await messages(ana.account.phone, '?limit=1')
      expect(texts(page)).to.deep.equal(['two'])
      const next = await messages(ana.account.phone, `?limit=1&before=${page.Before}`)
      expect(texts(next)).to.deep.equal(['one'])
      expect(await messages(ana.account.phone, `?before=${next.Before}`)).to.deep.equal({
        Messages: [],
        Before: 0,
      })
      for (const jid of [ana.account.jid, ana.account.lid])
        expect(texts(await messages(jid)), jid).to.deep.equal(['two', 'one'])
    })

    it('counts nothing as unread that was answered, marked as read here, or read or played on the phone', async () => {
      const unread = async (name: string) =>
        (await chats()).Chats.find(({ Name }: { Name: string }) => Name === name).Unread
      const { Id } = (await session.post('/send/text', { Phone: bob.account.phone, Body: 'answer' })).data
      await found(bob.account.phone, Id)
      expect(await unread('Bob')).to.equal(0)
      const ids = (await messages(ana.account.phone)).Messages.map(({ Message }) => Message.id)
      await session.post('/message/markread', { id: [ids[1]], Chat: ana.account.phone })
      expect(await unread('Ana')).to.equal(1)
      await session.phone.act({ Action: 'read', Chat: ana.account.phone, Id: ids[0] ?? '' })
      await eventually(async () => (await unread('Ana')) === 0, 'read on the phone')
      const voice = { audioMessage: { ptt: true, seconds: 1, mimetype: 'audio/ogg; codecs=opus' } }
      const note = await bob.send(own(), { Message: voice })
      await found(bob.account.phone, note)
      expect(await unread('Bob')).to.equal(1)
      await session.phone.act({ Action: 'play', Chat: bob.account.phone, Id: note })
      await eventually(async () => (await unread('Bob')) === 0, 'played on the phone')
    })

    it('shows edits, deletions and reactions', async () => {
      const id = await ana.send(own(), { Text: 'helo' })
      await found(ana.account.phone, id)
      await ana.act({ Action: 'edit', Chat: own(), Id: id, Text: 'hello' })
      await ana.act({ Action: 'react', Chat: own(), Id: id, Text: '👍' })
      const edited = await found(ana.account.phone, id, ({ Reactions }) => Reactions.length > 0)
      expect(edited.Message).to.include({ text: 'hello', isEdited: true })
      expect(Date.parse(edited.Edited)).to.be.closeTo(Date.now(), 60_000)
      expect(edited.Deleted).to.equal('')
      await ana.act({ Action: 'revoke', Chat: own(), Id: id })
      const deleted = await found(ana.account.phone, id, ({ Deleted }) => Deleted)
      expect(deleted.Message.text).to.equal('')
      expect(JSON.stringify(deleted)).not.to.include('hello').and.not.to.include('helo')
    })

    it('leaves out an edit by somebody who did not write the message', async () => {
      const { data } = await session.post('/group/create', {
        GroupName: 'Team',
        Participants: [ana.account.phone, bob.account.phone],
      })
      const id = await ana.send(data.JID, { Text: 'by Ana' })
      await found(data.JID, id)
      const key = { remoteJid: data.JID, fromMe: false, id, participant: ana.account.lid }
      const forged = { protocolMessage: { key, type: 14, editedMessage: { conversation: 'by Bob' } } }
      await bob.send(data.JID, { Message: forged } as never)
      await found(data.JID, await bob.send(data.JID, { Text: 'after it' }))
      const { Events } = (await session.get('/events/history?types=Message&limit=3')).data
      const forgedEvent = Events.find(
        ({ message }: { message: { type: string } }) => message.type === 'other',
      )
      expect(forgedEvent.message).to.include({ refused: true })
      expect(texts(await messages(data.JID))).to.deep.equal(['after it', 'by Ana'])
      expect((await chats()).Chats[0]).to.include({ Name: 'Team', Type: 'group', JID: data.JID })
    })

    it('searches without case and accents, reads a limited number, and goes on where it stopped', async () => {
      await found(bob.account.phone, await bob.send(own(), { Text: 'The CAFÉ is closed today' }))
      const ids: string[] = []
      for (let count = 0; count < 120; count += 1)
        ids.push(await ana.send(own(), { Text: `filler ${count}` }))
      await found(ana.account.phone, ids.at(-1) ?? '')
      const search = async (query: string) => (await session.get(`/chats/search?${query}`)).data
      const first = await search('text=closed%20cafe')
      expect(first).to.include({ Read: 100 }).and.to.deep.include({ Messages: [] })
      const second = await search(`text=closed%20cafe&before=${first.Before}`)
      expect(texts(second)).to.deep.equal(['The CAFÉ is closed today'])
      expect(second.Before).to.equal(0)
      expect(texts(await messages(bob.account.phone, '?text=CAFE'))).to.deep.equal([
        'The CAFÉ is closed today',
      ])
      expect((await messages(ana.account.phone, '?text=CAFE')).Messages).to.deep.equal([])
    })

    it('shows a key that is limited to some chats nothing else', async () => {
      const { data } = await session.post('/keys', {
        Name: 'bob',
        Scopes: ['read'],
        Chats: [bob.account.phone],
      })
      const headers = { token: data.Key }
      const read = async (path: string) => world.gateway.get(path, headers)
      expect((await read('/chats')).data.Chats.map(({ Name }: { Name: string }) => Name)).to.deep.equal([
        'Bob',
      ])
      expect(await read(`/chats/${ana.account.phone}/messages`)).to.include({
        status: 404,
        errorCode: 'CHAT_UNKNOWN',
      })
      expect((await read(`/chats/${bob.account.phone}/messages`)).data.Messages).to.have.length.above(1)
      expect((await read('/chats/search?text=filler')).data).to.deep.include({ Messages: [] })
      expect((await session.get('/chats/search?text=filler')).data.Messages).to.have.length(50)
    })

    it('links to files', async () => {
      const { Id } = (
        await session.post('/send/document', {
          Phone: bob.account.phone,
          Document: `data:text/plain;base64,${Buffer.from('terms').toString('base64')}`,
          FileName: 'terms.txt',
        })
      ).data
      const { MediaURL = '' } = await found(bob.account.phone, Id)
      const file = await fetch(new URL(MediaURL, world.gateway.url))
      expect(await file.text()).to.equal('terms')
    })

    it('names what is wrong with a request', async () => {
      expect(await session.get('/chats/5511000000000/messages')).to.include({
        status: 404,
        errorCode: 'CHAT_UNKNOWN',
      })
      expect(await session.get('/chats/nobody/messages')).to.include({
        status: 400,
        errorCode: 'PHONE_INVALID',
      })
      expect((await session.get('/chats?before=x')).error).to.include('before')
      expect((await session.get('/chats/search')).error).to.include('text')
      expect((await world.gateway.get('/chats', admin)).status).to.equal(401)
    })

    it('marks what was deleted with its chat on the phone', async () => {
      await session.phone.act({ Action: 'deleteChat', Chat: bob.account.phone })
      await eventually(async () => {
        const { Messages } = await messages(bob.account.phone)
        return Messages.length > 0 && Messages.every(({ Deleted }) => Deleted)
      }, 'the chat is deleted')
      await found(
        bob.account.phone,
        await bob.send(own(), { Text: 'a new start' }),
        ({ Deleted }) => !Deleted,
      )
    })
  })
  it(`begins with what the log has, and ends with its retention, on ${engine.name}`, async () => {
    const place = engine.fresh()
    const same = { name: engine.name, fresh: () => place }
    const first = await openShop({}, same)
    const { session, ana } = first
    const events = await eventsOf(session)
    await ana.send(session.phone.account.phone, { Text: 'before the plugin' })
    await events.wait('Message', ({ Message }) => Message?.conversation === 'before the plugin')
    await events.close()
    await first.world.stop()
    const listed = async (world: World) => (await world.gateway.get('/chats', session.headers)).data.Chats

    const second = await startWorld({ extra: [chatLog] }, same)
    const [chat] = await eventually(async () => {
      const chats = await listed(second)
      return chats.length > 0 && chats
    }, 'the log is read')
    expect(chat.Last.Message.text).to.equal('before the plugin')
    await second.stop()

    const third = await startWorld({ extra: [chatLog], retentionDays: 1e-9 }, same)
    await eventually(async () => (await listed(third)).length === 0, 'dropped')
    await third.stop()
  })
}
