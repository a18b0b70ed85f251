import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

interface Step {
  Step: string
  At: string
  Clock: string
  By?: string
}

for (const engine of engines) {
  describe(`message timeline on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let receiver: Receiver

    before(async () => {
      const webhook = { retrySeconds: [0.05, 0.05], breakerFailures: 1000 }
      ;({ world, session, ana } = await openShop({ config: { webhook } }, engine))
      receiver = await startReceiver()
      await session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    })
    after(async () => {
      await receiver.close()
      await world.stop()
    })

    const timeline = async (id: string) => (await session.get(`/message/timeline?Id=${id}`)).data
    const reached = (id: string, last: string) =>
      eventually(async () => {
        const data = await timeline(id)
        return data?.Steps.some(({ Step }: Step) => Step === last) && data
      }, `${id} is ${last}`)
    const names = (steps: Step[]): string[] => steps.map(({ Step }) => Step)

    it('shows a sent message from its acceptance to being read', async () => {
      const { Id } = (await session.post('/send/text', { Phone: ana.account.phone, Body: 'Hello' })).data
      await ana.wait(({ id }) => id === Id)
      await ana.act({ Action: 'read', Chat: session.phone.account.phone, Id })
      const found = await reached(Id, 'read')
      expect(found).to.include({ Id, IsFromMe: true, IsTruncated: false })
      expect(names(found.Steps)).to.deep.equal([
        'accepted',
        'written',
        'acked',
        'logged',
        'delivered',
        'read',
      ])
      const [accepted, written, acked] = found.Steps.map(({ At }: Step) => Date.parse(At))
      expect(accepted).to.be.at.most(written)
      expect(written).to.be.at.most(acked)
      expect(found.Steps.at(-1)).to.include({ Clock: 'network' })
      expect([ana.account.jid, ana.account.lid]).to.include(found.Steps.at(-1).By)
      expect(found.Event).to.include({ type: 'Message' })
    })

    it('shows a received message from its arrival to each attempt of its delivery', async () => {
      let refusals = 0
      receiver.answer(({ body }) => {
        if (!body.includes('Are you open?')) return { status: 200 }
        refusals += 1
        return refusals === 1 ? { status: 500, body: 'no space <b>left</b>' } : { status: 200 }
      })
      const id = await ana.send(session.phone.account.phone, { Text: 'Are you open?' })
      const found = await eventually(async () => {
        const data = await timeline(id)
        return data?.Deliveries[0]?.State === 'done' && data
      }, 'delivered')
      expect(found).to.include({ IsFromMe: false })
      expect(names(found.Steps)).to.deep.equal(['received', 'logged'])
      const [delivery] = found.Deliveries
      expect(delivery).to.deep.include({ Endpoint: 'main', URL: receiver.url, State: 'done', NextAt: '' })
      expect(delivery.Attempts).to.have.length(2)
      expect(delivery.Attempts[0]).to.include({
        ...{ Attempt: 1, Accepted: false, Status: 'status 500', Answer: 'no space <b>left</b>' },
      })
      expect(delivery.Attempts[1]).to.include({
        Attempt: 2,
        Accepted: true,
        Status: 'status 200',
        Answer: '',
      })
      expect(delivery.Attempts[1].Milliseconds).to.be.within(0, 10_000)
    })

    it('shows the receipts of each recipient in a group', async () => {
      const bob = await world.phone('Bob')
      const { data } = await session.post('/group/create', {
        GroupName: 'Team',
        Participants: [ana.account.phone, bob.account.phone],
      })
      const sent = await session.post('/send/text', { Phone: data.JID, Body: 'Hello all' })
      const both = await eventually(async () => {
        const { Steps = [] } = (await timeline(sent.data.Id)) ?? {}
        const by = Steps.filter(({ Step }: Step) => Step === 'delivered').map(({ By }: Step) => By)
        return new Set(by).size === 2 && by
      }, 'two receipts')
      expect(both).to.have.length(2)
    })

    it('refuses unknown messages, and those of another session', async () => {
      expect((await session.get('/message/timeline?Id=NEVER')).errorCode).to.equal('MESSAGE_UNKNOWN')
      const other = await world.linked(await world.phone('Other'))
      const { Id } = (await session.post('/send/text', { Phone: ana.account.phone, Body: 'Mine' })).data
      expect((await other.get(`/message/timeline?Id=${Id}`)).status).to.equal(404)
    })

    it('reads the log backwards, with filters, and finds a message by its id', async () => {
      const id = await ana.send(session.phone.account.phone, { Text: 'needle' })
      await reached(id, 'logged')
      const newest = (await session.get('/events/history?limit=2')).data
      expect(newest.Events).to.have.length(2)
      expect(newest.Events[0].seq).to.be.greaterThan(newest.Events[1].seq)
      const next = (await session.get(`/events/history?limit=1&before=${newest.Before}`)).data
      expect(next.Events[0].seq).to.be.lessThan(newest.Events[1].seq)
      const found = (await session.get(`/events/history?id=${id}&class=Message`)).data
      expect(found.Events.map(({ message }: { message: { text: string } }) => message.text)).to.deep.equal([
        'needle',
      ])
      expect(found.Before).to.equal(0)
      const chat = (await session.get('/events/history?allowchats=5511000000000&types=Message')).data
      expect(chat.Events).to.deep.equal([])
      const of = (query: string) => world.gateway.get(`/events/global/history?${query}`, admin)
      const all = (await of(`session=${newest.Events[0].instanceName}&id=${id}&types=Message`)).data
      expect(all.Events).to.have.length(1)
      expect((await of('session=nobody')).errorCode).to.equal('SESSION_UNKNOWN')
    })
  })
}
