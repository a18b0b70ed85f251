import { expect } from 'chai'
import chatLog from '../../../plugins/chat-log/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

/** group_history_send */
const SEND = 15313

interface Page {
  Messages: { Seq: number; Message: { id: string; text: string; from: { lid: string } }; Edited: string }[]
  Before: number
}

for (const engine of engines) {
  describe(`the shared history of a group, in its chat, on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let bea: Phone
    let group: string
    let ids: string[]
    before(async () => {
      ;({ world, session, ana } = await openShop({ extra: [chatLog] }, engine))
      bea = await world.phone('Bea')
      for (const phone of [ana, bea])
        world.fault({ Fault: 'props', Phone: phone.account.phone, Props: { [SEND]: '1' } })
    })
    beforeEach(async () => {
      const Participants = [bea.account.phone]
      group = String((await ana.act({ Action: 'createGroup', Text: 'Team', Participants }))['JID'])
      ids = [await say(ana, 'one'), await say(bea, 'two'), await say(ana, 'three')]
    })
    after(() => world.stop())

    const own = () => session.phone.account.phone
    async function say(from: Phone, Text: string): Promise<string> {
      const id = await from.send(group, { Text })
      await (from === ana ? bea : ana).wait((message) => message.id === id)
      return id
    }
    const join = () => ana.act({ Action: 'addToGroup', Chat: group, Participants: [own()] })
    const share = (Data: object = {}) =>
      ana.act({ Action: 'shareHistory', Chat: group, Participants: [own()], Data: { ...Data } })
    const page = async (query = ''): Promise<Page> =>
      (await session.get(`/chats/${group}/messages${query}`)).data ?? { Messages: [], Before: 0 }
    const texts = async (query = '') => (await page(query)).Messages.map(({ Message }) => Message.text)
    const shows = (...expected: string[]) =>
      eventually(async () => {
        const shown = await texts()
        if (shown.join() === expected.join()) return true
        throw new Error(`it shows ${shown}`)
      }, `shows ${expected}`)

    it('is listed, each message once, by author and time, without events of its own (whatsapp/40)', async () => {
      await join()
      await share()
      await shows('three', 'two', 'one')
      const { Messages } = await page()
      expect(Messages.map(({ Message }) => Message.id)).to.deep.equal([...ids].reverse())
      expect(Messages.map(({ Message }) => Message.from.lid)).to.deep.equal(
        [ana, bea, ana].map(({ account }) => account.lid),
      )
      const { Chats } = (await session.get('/chats')).data
      expect(Chats[0]).to.include({ JID: group, Name: 'Team', Unread: 0 })
      expect(Chats[0].Last.Message).to.include({ id: ids[2], text: 'three' })
      const { Events } = (await session.get('/events/history?types=Message&limit=200')).data
      expect(JSON.stringify(Events)).not.to.include(group)
    })

    it('comes before what was written since, page by page, and is found', async () => {
      await join()
      const id = await ana.send(group, { Text: 'welcome' })
      await shows('welcome')
      await share()
      await shows('welcome', 'three', 'two', 'one')
      const pages: string[] = []
      let query = ''
      do {
        const { Messages, Before } = await page(`?limit=1${query}`)
        pages.push(...Messages.map(({ Message }) => Message.text))
        query = Before === 0 ? '' : `&before=${Before}`
      } while (query)
      expect(pages).to.deep.equal(['welcome', 'three', 'two', 'one'])
      expect(await texts('?text=TWO')).to.deep.equal(['two'])
      const { Chats } = (await session.get('/chats')).data
      expect(Chats[0]).to.include({ JID: group, Unread: 1 })
      expect(Chats[0].Last.Message.id).to.equal(id)
    })

    it('is completed by another one, and changed by later edits', async () => {
      await join()
      await share({ Count: 1 })
      await shows('three')
      await share()
      await shows('three', 'two', 'one')
      await bea.act({ Action: 'edit', Chat: group, Id: ids[1] ?? '', Text: 'two, edited' })
      await shows('three', 'two, edited', 'one')
      expect((await page()).Messages[1]?.Edited).not.to.equal('')
    })
  })
}
