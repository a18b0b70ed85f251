import { expect } from 'chai'
import type { Answer } from '../../support/calls.ts'
import { eventsOf } from '../../support/events/events.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

/** Where classes can be given, with what else that call needs. */
const CALLS: Readonly<Record<string, (phone: string) => object>> = {
  '/session/connect': () => ({}),
  '/session/pair': (Phone) => ({ Phone }),
  '/webhook': () => ({ WebhookURL: 'http://127.0.0.1:9/hook' }),
}

describe('Subscribe', () => {
  let world: World
  before(async () => {
    world = await startWorld({ without: ['calls'] })
  })
  after(() => world.stop())

  const init = (body: object = {}): Promise<Answer> => world.gateway.post('/session/init', body, admin)
  const classesOf = async (token: string): Promise<string[]> =>
    (await world.gateway.get('/webhook', { token })).data.subscribe

  /** Gives `Subscribe` to a session that has Newsletter: what the answer says of it, and what it has then. */
  async function given(path: string, Subscribe: unknown): Promise<{ answer: Answer; classes: string[] }> {
    const { data } = await init({ Subscribe: ['Newsletter'] })
    const body = { ...CALLS[path]?.((await world.phone()).account.phone), Subscribe }
    const answer = await world.gateway.post(path, body, { token: data.Token })
    expect(answer.error).to.equal(undefined)
    return { answer, classes: await classesOf(data.Token) }
  }

  for (const path of Object.keys(CALLS)) {
    it(`${path} drops and names unknown classes, such as those of a disabled plugin`, async () => {
      const { answer, classes } = await given(path, ['Message', 'Massage', 'Call'])
      expect(answer.data.dropped).to.deep.equal(['Massage', 'Call'])
      expect(answer.data).not.to.have.property('warning')
      expect(classes).to.deep.equal(['Message'])
    })

    it(`${path} accepts a class in any case, without duplicates`, async () => {
      const { answer, classes } = await given(path, ['message', 'MESSAGE', 'chatpresence'])
      expect(answer.data).not.to.have.property('dropped')
      expect(classes).to.deep.equal(['Message', 'ChatPresence'])
      expect((await given(path, ['all'])).classes).to.deep.equal(['All'])
    })

    it(`${path} subscribes to nothing if all classes are unknown, with a warning`, async () => {
      const { answer, classes } = await given(path, ['Massage'])
      expect(answer.data.dropped).to.deep.equal(['Massage'])
      expect(answer.data.warning).to.match(/^Subscribed to nothing: .*All, .*Message.*ReadReceipt/)
      expect(classes).to.deep.equal(['None'])
    })

    it(`${path} takes back what it was read as`, async () => {
      for (const written of [['None'], ['All'], ['Message']]) {
        const { answer, classes } = await given(path, written)
        expect(answer.data).not.to.have.any.keys('dropped', 'warning')
        expect(classes).to.deep.equal(written)
      }
      expect((await given(path, ['none', 'Message'])).classes).to.deep.equal(['Message'])
    })

    it(`${path} accepts a text with commas as a list`, async () => {
      for (const text of ['Message,ReadReceipt', 'message, readreceipt ,', ['Message, ReadReceipt']]) {
        const { answer, classes } = await given(path, text)
        expect(answer.data).not.to.have.property('dropped')
        expect(classes).to.deep.equal(['Message', 'ReadReceipt'])
      }
      expect((await given(path, 'Message,Massage')).answer.data.dropped).to.deep.equal(['Massage'])
      expect((await given(path, ' , ')).classes).to.deep.equal(['All'])
    })

    it(`${path} treats an empty list as All`, async () => {
      const { answer, classes } = await given(path, [])
      expect(answer.data).not.to.have.property('dropped')
      expect(classes).to.deep.equal(['All'])
    })
  }

  it('is returned by /session/init as stored', async () => {
    expect((await init()).data).to.deep.include({ subscribe: ['All'] })
    expect((await init({ Subscribe: [] })).data).to.deep.include({ subscribe: ['All'] })
    const some = await init({ Subscribe: ['message', 'Massage'] })
    expect(some.data).to.deep.include({ subscribe: ['Message'], dropped: ['Massage'] })
    const none = await init({ Subscribe: ['Massage'] })
    expect(none.data).to.deep.include({ subscribe: ['None'], dropped: ['Massage'] })
    expect(none.data.warning).to.include('Subscribed to nothing')
    expect(await classesOf(none.data.Token)).to.deep.equal(['None'])
  })

  it('follows the same rules for an additional endpoint', async () => {
    const { Token: token } = (await init()).data
    const set = (body: object) =>
      world.gateway.post('/webhook/endpoints', { URL: 'http://127.0.0.1:9/hook', ...body }, { token })
    const { data } = await set({ Subscribe: ['message', 'Massage'] })
    expect(data).to.deep.include({ Subscribe: ['Message'], dropped: ['Massage'] })
    const changed = await set({ Id: data.Id, Subscribe: ['Massage'] })
    expect(changed.data).to.deep.include({ Subscribe: ['None'], dropped: ['Massage'] })
    expect(changed.data.warning).to.include('Subscribed to nothing')
    expect((await set({ Id: data.Id })).data).to.deep.include({ Subscribe: ['None'] })
  })

  it('delivers nothing for no classes, and events from the next subscription on', async () => {
    const ana = await world.phone('Ana')
    const shop = await world.linked(await world.phone('Shop'), { subscribe: ['Massage'] })
    const told = await eventsOf(shop)
    const other = await startReceiver()
    await shop.post('/webhook/endpoints', { URL: other.url })
    const { phone } = shop.phone.account
    const unseen = await ana.send(phone, { Text: 'unseen' })
    // An event is entered for all receivers at once.
    await other.wait(({ body }) => body.includes(unseen))
    await shop.post('/session/connect', { Subscribe: ['Message'] })
    const seen = await ana.send(phone, { Text: 'seen' })
    await told.wait('Message', ({ Info }) => Info.ID === seen)
    expect(told.all.map(({ event }) => event.Info?.ID)).to.deep.equal([seen])
    await other.close()
    await told.close()
  })
})
