import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, sessionOf, startWorld, type World } from '../../support/world.ts'
import type { Body } from './hook.ts'

for (const engine of engines) {
  describe(`history on ${engine.name}`, () => {
    let world: World
    before(async () => {
      world = await startWorld({ config: { baileys: { keepAliveMs: 1000 } } }, engine)
    })
    after(() => world.stop())

    /** A session that is not linked yet, and what its webhook gets. */
    async function unlinked(phone: Phone) {
      const receiver = await startReceiver()
      const { data } = await world.gateway.post('/session/init', { Name: phone.account.name }, admin)
      const session = sessionOf(world.gateway, data.Token, phone)
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['HistorySync'] })
      return { session, receiver }
    }

    async function link(session: LinkedSession): Promise<void> {
      await session.post('/session/connect', { Immediate: false })
      const { data } = await session.get('/session/qr')
      await session.phone.scan(data.QRCode)
      await session.status({ LoggedIn: true })
    }

    const parse = ({ body }: { body: string }): Body => JSON.parse(body).event.Data
    const textsOf = ({ conversations }: Body): string[] =>
      conversations.flatMap(({ messages }: Body) =>
        messages.map(({ message }: Body) => message.message.conversation),
      )

    it('is delivered completely in pieces of bounded size, with names and LID mappings', async () => {
      const phone = await world.phone('Shop')
      const others = [await world.phone('Ana'), await world.phone('Bea'), await world.phone('Caio')]
      const texts: string[] = []
      for (let i = 0; i < 130; i += 1) {
        const text = `from before ${i}`
        texts.push(text)
        // Some are large: not only their number bounds a piece.
        const padded = i % 40 === 0 ? text.padEnd(200_000, '.') : text
        await others[i < 100 ? 0 : i % 3]?.send(phone.account.phone, { Text: padded })
      }
      await phone.wait(({ raw }) => raw.conversation === 'from before 129')
      const { session, receiver } = await unlinked(phone)
      await link(session)
      await receiver.wait((delivery) => {
        const { syncType, piece, pieces } = parse(delivery)
        return syncType === 3 && piece === pieces - 1
      })
      const pieces = receiver.deliveries.map(parse)
      const recent = pieces.filter(({ syncType }) => syncType === 3)
      const found = recent.flatMap(textsOf).map((text) => text.replace(/\.+$/, ''))
      expect(found).to.have.members(texts)
      expect(recent.length).to.be.greaterThan(2)
      expect(recent.map(({ piece }) => piece)).to.deep.equal(recent.map((_, i) => i))
      for (const piece of recent) {
        expect(textsOf(piece).length).to.be.at.most(50)
        expect(JSON.stringify(piece).length).to.be.below(560_000)
      }
      const mappings = pieces.flatMap(({ phoneNumberToLidMappings }) => phoneNumberToLidMappings)
      for (const { account } of others)
        expect(mappings).to.deep.include({ lidJID: account.lid, pnJID: account.jid })
      const [{ ID, pnJID, lidJID }] = recent.flatMap(({ conversations }) => conversations)
      expect(ID).to.be.oneOf([pnJID, lidJID])
      await receiver.close()
    })

    it('provides poll keys for later votes (whatsapp/21)', async () => {
      const phone = await world.phone('Fia')
      const ana = await world.phone('Gil')
      const poll = {
        pollCreationMessageV3: { name: 'Old?', options: [{ optionName: 'yes' }, { optionName: 'no' }] },
        messageContextInfo: { messageSecret: Buffer.alloc(32, 9).toString('base64') },
      }
      const id = await ana.send(phone.account.phone, { Message: poll })
      await phone.wait((message) => message.id === id)
      const { session, receiver } = await unlinked(phone)
      await link(session)
      await receiver.wait((delivery) => parse(delivery).syncType === 3)
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
      const { Id } = await ana.act({ Action: 'vote', Id: id, Data: { Options: ['yes'], Form: 'pn' } })
      const { body } = await receiver.wait(({ body }) => body.includes(String(Id)))
      expect(JSON.parse(body).event.PollVote).to.deep.equal({
        PollID: id,
        Question: 'Old?',
        SelectedOptions: ['yes'],
      })
      await receiver.close()
    })

    it('is processed by the next link if the link ended before', async () => {
      const phone = await world.phone('Davi')
      const ana = await world.phone('Eva')
      await ana.send(phone.account.phone, { Text: 'do not lose me' })
      await phone.wait(({ raw }) => raw.conversation === 'do not lose me')
      const { session, receiver } = await unlinked(phone)
      // The notification is decrypted and receipted, its file can't be had: as after a stop in between.
      world.fault({ Fault: 'mediaDown' })
      await link(session)
      await receiver.wait((delivery) => parse(delivery).syncType === 0)
      const view = () =>
        world.gateway.service('sandbox').phones.get(phone.account.phone).view()['Companions'] as Body[]
      await eventually(() => view()[0]?.['Waiting'] === 0, 'drained', { progress: view })
      world.fault({ Fault: 'clear' })
      expect(receiver.deliveries.map(parse).flatMap(textsOf)).to.deep.equal([])
      world.fault({ Phone: phone.account.phone, Fault: 'drop' })
      const delivery = await receiver.wait((one) => parse(one).syncType === 3)
      expect(textsOf(parse(delivery))).to.deep.equal(['do not lose me'])
      await receiver.close()
    })
  })
}
