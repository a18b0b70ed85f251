import { expect } from 'chai'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import type { Answer } from '../../../support/calls.ts'
import { engines } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../../../support/world.ts'

for (const engine of engines) {
  describe(`suspects (${engine.name})`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone
    let receiver: Receiver
    before(async () => {
      world = await startWorld({ config: { baileys: { trialMs: 300 } } }, engine)
      receiver = await startReceiver()
      session = await world.linked(await world.phone('Shop'), { subscribe: ['Message'] })
      await session.post('/webhook', { WebhookURL: receiver.url })
      ana = await world.phone('Ana')
      await text('hello', 'hello')
    })
    after(async () => {
      await world.stop()
      await receiver.close()
    })

    const text = (Body: string, Id: string, to = ana): Promise<Answer> =>
      session.post('/send/text', { Phone: to.account.phone, Body, Id })
    const event = async (type: string, id: string) => {
      const { body } = await receiver.wait(({ body: text }) => {
        const { type: kind, event: details } = JSON.parse(text)
        return kind === type && (details.Id ?? details.Info?.ID) === id
      })
      return JSON.parse(body).event
    }
    const failed = (): string[] =>
      receiver.deliveries
        .map(({ body }) => JSON.parse(body))
        .filter(({ type }) => type === 'SendFailed')
        .map(({ event: { Id } }) => Id)
    /** Retries as a client does, until it is answered. */
    const sent = (Body: string, Id: string, to: Phone): Promise<Answer> =>
      eventually(async () => {
        const answer = await text(Body, Id, to)
        if (answer.status < 500 && answer.status !== 409) return answer
        throw new Error(`${answer.status} ${answer.error}`)
      }, `${Id} answered`)

    it('gives up a message after three trials, and sends all others', async () => {
      const bea = await world.phone('Bea')
      await text('hello', 'hello-bea', bea)
      const { logins = 0 } = world.counters()
      world.fault({ Fault: 'smallFrames', Bytes: 20_000 })
      const others = ['o1', 'o2', 'o3', 'o4', 'o5']
      const [cut, ...answers] = await Promise.all([
        text('x'.repeat(30_000), 'poison'),
        text('behind it', 'behind'),
        ...others.map((id) => sent(id, id, bea)),
      ])
      expect(cut).to.include({ status: 504 })
      expect(answers.slice(1).map(({ status }) => status)).to.deep.equal(others.map(() => 200))
      const reported = await event('SendFailed', 'poison')
      expect(reported).to.include({ Code: 'SEND_ABANDONED', Outcome: 'failed', Chat: ana.account.jid })
      expect(reported.Error).to.include('closed the connection on it three times')
      await event('Message', 'behind')
      expect(await text('after it', 'after')).to.include({ status: 200 })
      expect(world.counters()['logins']).to.equal(logins + 5)
      expect(failed()).to.deep.equal(['poison'])
      const status = await session.post('/message/status', { Id: 'poison' })
      expect(status.data).to.include({ Status: 'Error' })
    })

    it('tries the id again when it is asked to, on one more link at a time', async () => {
      const { logins = 0 } = world.counters()
      const again = () => text('x'.repeat(30_000), 'poison')
      expect(await again()).to.include({ status: 502, errorCode: 'SEND_ABANDONED' })
      expect(ana.messages().filter(({ id }) => id === 'poison')).to.deep.equal([])
      await session.status({ LoggedIn: true })
      expect(world.counters()['logins']).to.equal(logins + 1)
      world.fault({ Fault: 'clear' })
      expect(await again()).to.include({ status: 200 })
      await ana.wait(({ id }) => id === 'poison')
    })

    it('gives up none while the network flaps', async () => {
      const bea = await world.phone('Bea')
      world.fault({ Phone: session.phone.account.phone, Fault: 'delay', Ms: 25 })
      world.fault({ Fault: 'flapping', Ms: 100, UpMs: 500 })
      const ids = Array.from({ length: 20 }, (_, n) => `flap-${n}`)
      const answers = await Promise.all(ids.map((id, n) => sent(id, id, n % 2 ? ana : bea)))
      world.fault({ Fault: 'clear' })
      world.fault({ Phone: session.phone.account.phone, Fault: 'clear' })
      expect(answers.map(({ status }) => status)).to.deep.equal(ids.map(() => 200))
      expect(failed().filter((id) => id.startsWith('flap'))).to.deep.equal([])
      for (const phone of [ana, bea]) {
        const arrived = phone.messages().filter(({ id }) => id.startsWith('flap'))
        expect(arrived).to.have.length(10)
      }
    })

    it('does not count links that end for another reason', async () => {
      const { phone } = session.phone.account
      const duplicates = () => world.counters()['duplicates'] ?? 0
      const before = duplicates()
      world.fault({ Phone: phone, Fault: 'delay', Ms: 150 })
      const waiting = text('innocent', 'innocent')
      await ana.wait(({ id }) => id === 'innocent')
      for (const nth of [1, 2, 3]) {
        world.fault({ Phone: phone, Fault: 'streamError', Code: 503 })
        await eventually(() => duplicates() >= before + nth, 'sent again', { progress: duplicates })
      }
      world.fault({ Phone: phone, Fault: 'clear' })
      expect(await waiting).to.include({ status: 504 })
      await event('Message', 'innocent')
      expect(failed()).to.not.include('innocent')
    })
  })
}
