import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../../support/calls.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

for (const engine of engines) {
  describe(`an outcome that is known late (${engine.name})`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let receiver: Receiver
    before(async () => {
      world = await startWorld({ config: { baileys: { ackTimeoutMs: 400 } } }, engine)
      receiver = await startReceiver()
      session = await world.linked(await world.phone('Shop'), { subscribe: ['Message', 'ReadReceipt'] })
      await session.post('/webhook', { WebhookURL: receiver.url })
      ana = await world.phone('Ana')
      await text('hello')
    })
    after(async () => {
      await world.stop()
      await receiver.close()
    })
    afterEach(() => world.fault({ Fault: 'clear' }))

    const fault = (Fault: string, more: object = {}): void =>
      world.fault({ Fault, Phone: session.phone.account.phone, ...more })
    const text = (Id: string, body: object = {}, to = ana): Promise<Answer> =>
      session.post('/send/text', { Phone: to.account.phone, Body: Id, Id, ...body })
    const state = async (id: string) => (await session.get(`/send/${id}`)).data
    const told = (id: string) =>
      receiver.deliveries
        .map(({ body }) => JSON.parse(body))
        .filter(({ event }) => [event.Id, event.Info?.ID].includes(id))
    const becomes = (id: string, Status: string) =>
      eventually(async () => {
        const found = await state(id)
        if (found.Status === Status) return found
        throw new Error(`it is ${found.Status}`)
      }, `${id} ${Status}`)
    /** The message reaches its recipient, and the gateway learns of neither. */
    async function unanswered(id: string): Promise<void> {
      fault('holdReceipts')
      fault('holdAcks')
      expect(await text(id)).to.include({ status: 504, errorCode: 'NETWORK_SILENT' })
      expect(await state(id)).to.include({ Status: 'Unknown', ErrorCode: 'NETWORK_SILENT' })
      await eventually(() => told(id).length === 1, 'told')
      expect(told(id)[0]).to.include({ type: 'SendFailed' })
      expect(told(id)[0].event).to.include({ Outcome: 'unknown' })
      expect((await session.post('/message/status', { Id: id })).data).to.include({ Status: 'Pending' })
    }
    /** The message is told once, as a correction. */
    async function corrected(id: string): Promise<void> {
      await becomes(id, 'Sent')
      await eventually(() => told(id).some(({ type }) => type === 'Message'), 'corrected')
      const [, message, ...more] = told(id)
      expect(message.event).to.include({ Corrects: 'SendFailed' })
      expect(more).to.deep.equal([])
      const { acks } = world.counters()
      const again = await text(id)
      expect(again, again.error).to.include({ status: 200 })
      expect(world.counters()['acks'], 'not sent again').to.equal(acks)
      expect(ana.messages().filter((one) => one.id === id)).to.have.length(1)
    }

    it('is that of an ack after the time-out', async () => {
      await unanswered('late-ack')
      fault('releaseAcks')
      await corrected('late-ack')
      const { Steps } = (await session.get('/message/timeline?Id=late-ack')).data
      expect(Steps.map(({ Step }: { Step: string }) => Step)).to.include.members(['unknown', 'acked'])
    })

    it('is that of a receipt of the recipient, on a later link too', async () => {
      await unanswered('late-receipt')
      fault('drop')
      await session.status({ LoggedIn: false })
      await session.status({ LoggedIn: true })
      fault('releaseReceipts')
      await corrected('late-receipt')
      // An ack that was under way may come before the receipt.
      const found = await eventually(async () => {
        const data = await state('late-receipt')
        return data.Delivered && data
      }, 'delivered')
      expect(found).to.include.keys('Acknowledged', 'Delivered')
      expect(found).to.not.include.keys('Error', 'ErrorCode')
    })

    it('is that of a receipt that comes in place of the ack', async () => {
      fault('holdAcks')
      expect(await text('no-ack')).to.include({ status: 200 })
      expect(told('no-ack').filter(({ type }) => type === 'SendFailed')).to.deep.equal([])
    })

    it('is that of a late refusal', async () => {
      fault('refuse', { Code: 403, Count: 1 })
      fault('holdAcks')
      expect(await text('late-refusal')).to.include({ status: 504 })
      fault('releaseAcks')
      expect(await becomes('late-refusal', 'Failed')).to.include({ ErrorCode: 'NETWORK_FORBIDDEN' })
      await eventually(() => told('late-refusal').length === 2, 'told')
      expect(told('late-refusal').map(({ event }) => event.Outcome)).to.deep.equal(['unknown', 'failed'])
      expect(await text('late-refusal')).to.include({ status: 403 })
    })

    it('is that of the same id, sent again', async () => {
      await unanswered('again')
      fault('releaseReceipts')
      await becomes('again', 'Sent')
      await unanswered('again-2')
      world.fault({ Fault: 'clear' })
      expect(await text('again-2')).to.include({ status: 200 })
      await corrected('again-2')
    })

    it('is not that of a receipt from another chat', async () => {
      const eve = await world.phone('Eve')
      await ana.act({ Action: 'switchOff' })
      fault('holdAcks')
      expect(await text('forged')).to.include({ status: 504 })
      const { network } = world.gateway.service('sandbox')
      const line = network.connectPhone(eve.account, { receive: () => undefined, linkCode: () => undefined })
      const { jid } = session.phone.account
      line.send({ tag: 'receipt', attrs: { id: 'forged', to: jid, t: '1700000000' } })
      await eventually(
        () =>
          receiver.deliveries.some(
            ({ body }) => body.includes('forged') && JSON.parse(body).type === 'ReadReceipt',
          ),
        'the receipt is logged',
      )
      expect(await state('forged')).to.include({ Status: 'Unknown' })
      await ana.act({ Action: 'switchOn' })
      await becomes('forged', 'Sent')
    })

    it('is shown while it is pending, and to nobody who may not see the chat', async () => {
      fault('holdReceipts')
      fault('holdAcks')
      const sending = text('pending')
      await ana.wait(({ id }) => id === 'pending')
      expect(await state('pending')).to.include({ Status: 'Pending', Chat: ana.account.jid })
      await sending
      const body = { Name: 'bob', Scopes: ['read'], Chats: ['5511900000123'] }
      const token = (await session.post('/keys', body)).data.Key
      const unseen = await world.gateway.get('/send/pending', { token })
      expect(unseen).to.include({ status: 404, errorCode: 'MESSAGE_UNKNOWN' })
      const own = (await session.post('/keys', { ...body, Name: 'a', Chats: [ana.account.phone] })).data.Key
      expect(await world.gateway.get('/send/pending', { token: own })).to.include({ status: 200 })
      expect(await session.get('/send/nothing')).to.include({ status: 404 })
      expect(await session.get(`/send/${'x'.repeat(300)}`)).to.include({ status: 400 })
    })
  })
}
