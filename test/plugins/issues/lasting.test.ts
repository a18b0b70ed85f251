import { expect } from 'chai'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

/** The clock of the sandbox moves gateway and network: nothing here waits. */
describe('issues that begin when something has lasted', () => {
  let world: World
  let session: LinkedSession
  let receiver: Receiver
  let operator: Receiver
  let say: (text: string) => Promise<unknown>

  before(async () => {
    receiver = await startReceiver()
    operator = await startReceiver()
    const shop = await openShop({ config: { issues: { url: operator.url, settleSeconds: 0.1 } } })
    ;({ world, session } = shop)
    say = (Text) => shop.ana.send(session.phone.account.phone, { Text })
  })
  after(async () => {
    await world.stop()
    await receiver.close()
    await operator.close()
  })

  const issues = async () => (await world.gateway.get('/issues', admin)).data.Issues
  const ended = () => eventually(async () => (await issues()).length === 0, 'no issue is open')
  async function advance(Advance: string): Promise<void> {
    const { status, error } = await world.gateway.post('/sandbox/clock', { Advance }, admin)
    expect(status, error).to.equal(200)
  }

  it('names a session that has been reconnecting for ten minutes, until the network is back', async () => {
    world.fault({ Fault: 'down' })
    world.fault({ Phone: session.phone.account.phone, Fault: 'drop' })
    await session.status({ LoggedIn: false })
    await advance('9 minutes')
    expect(await issues()).to.deep.equal([])
    await advance('2 minutes')
    const [issue, ...others] = await issues()
    expect(others).to.deep.equal([])
    expect(issue).to.include({ Cause: 'session-waiting', Level: 'error', Count: 1 })
    // It tries again and again: the line says the same before, during and after an attempt.
    for (let look = 0; look < 20; look += 1) {
      const [again] = await issues()
      expect(again.Reason).to.equal(issue.Reason).and.to.match(/\S/)
      expect(again.Remedy).to.equal(issue.Remedy).and.to.match(/\S/)
      await advance('1 seconds')
    }
    expect(issue.Screen).to.equal(`/sessions/${issue.Sessions[0].Id}`)
    expect(Date.now() - Date.parse(issue.Since)).to.be.within(10 * 60_000, 12 * 60_000)
    world.fault({ Fault: 'clear' })
    // A link is tried again within minutes.
    await advance('10 minutes')
    await session.status({ LoggedIn: true })
    await ended()
  })

  it('names a webhook that was disabled after days of failures, until it is set again', async () => {
    const set = () => session.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] })
    await set()
    receiver.answer(() => ({ status: 500 }))
    await say('waits for days')
    await eventually(() => receiver.deliveries.length > 0, 'the first attempt')
    // The first is given up after three days, so that only a later one finds out.
    await advance('4 days')
    const { length } = receiver.deliveries
    await say('comes later')
    await eventually(() => receiver.deliveries.length > length, 'its first attempt')
    await advance('2 days')
    const issue = await eventually(async () => {
      const all = await issues()
      return all.length === 1 && all[0].Cause === 'webhook-disabled' && all[0]
    }, 'disabled')
    expect(issue).to.include({
      Level: 'error',
      Subject: new URL(receiver.url).host,
      Request: 'POST /webhook',
      Count: 1,
    })
    expect(issue.Reason).to.match(/no delivery succeeded for 5 days; last: status 500/)
    expect(issue.Remedy).to.include('set the webhook again')
    receiver.answer(() => ({ status: 200 }))
    await say('asks for it')
    await set()
    await receiver.wait(({ body }) => body.includes('asks for it'))
    await ended()
  })

  it('names an operator address that refuses announcements, until it takes them', async () => {
    const taken = () => operator.deliveries.map(({ body }) => JSON.parse(body).event)
    await advance('5 minutes')
    operator.answer(() => ({ status: 503 }))
    world.fault({ Phone: session.phone.account.phone, Fault: 'streamError', Conflict: 'replaced' })
    await session.status({ State: 'replaced' })
    const found = await eventually(async () => {
      // Each jump repeats the look and what it leads to once.
      await advance('20 seconds')
      const all = await issues()
      return all.length === 2 && all
    }, 'a second issue')
    const issue = found.find(({ Cause }: { Cause: string }) => Cause === 'announcements-failing')
    expect(issue).to.include({
      Level: 'error',
      Subject: new URL(operator.url).host,
      Screen: '/health',
      Count: 0,
    })
    expect(issue.Reason).to.include('503')
    expect(issue.Waiting).to.be.at.least(1)
    expect((await session.get('/issues')).data.Issues).to.have.length(1)
    operator.answer(() => ({ status: 200 }))
    await session.post('/session/connect')
    await advance('2 hours')
    await ended()
    await eventually(async () => {
      await advance('20 seconds')
      return taken().some(({ State, Cause }) => State === 'closed' && Cause === 'session-replaced')
    }, 'it learns what it missed')
  })
})
