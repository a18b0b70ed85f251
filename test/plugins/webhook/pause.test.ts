import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../support/world.ts'

for (const engine of engines) {
  describe(`a paused webhook on ${engine.name}`, () => {
    let world: World
    let receiver: Receiver
    let session: LinkedSession
    let ana: Phone

    before(async () => {
      world = await startWorld({ config: { webhook: { lateSeconds: 0.001 } } }, engine)
      session = await world.linked(await world.phone('Shop'))
      ana = await world.phone('Ana')
      receiver = await startReceiver()
    })
    after(async () => {
      await world.stop()
      await receiver.close()
    })

    const say = (text: string): Promise<string> => ana.send(session.phone.account.phone, { Text: text })
    const pending = (count: number) =>
      eventually(
        async () => (await session.get('/webhook/health')).data.Endpoints[0].Pending === count,
        `${count} pending`,
      )
    const texts = (): string[] =>
      receiver.deliveries.map(({ body }) => JSON.parse(body).message?.text).filter(Boolean)

    it('holds everything, also through changes, tests aside, and delivers it in order afterwards', async () => {
      const set = (fields: object) => session.post('/webhook', { WebhookURL: receiver.url, ...fields })
      await set({ Subscribe: ['Message'] })
      await say('before')
      await receiver.wait(({ body }) => body.includes('before'))
      await set({ Paused: true })
      expect((await session.get('/webhook')).data.state).to.equal('paused')
      for (const text of ['one', 'two', 'three']) await say(text)
      await pending(3)
      // Changed, it stays paused; a replay does not start it either.
      await set({ Filter: {} })
      expect((await session.get('/webhook/endpoints')).data.Endpoints[0].State).to.equal('paused')
      await session.post('/webhook/replay', { State: 'done' })
      expect((await session.post('/webhook/test', {})).data.Delivered).to.equal(true)
      await pending(4)
      expect(texts()).to.deep.equal(['before'])
      // It is no issue: somebody wants it.
      expect((await world.gateway.get('/issues', admin)).data.Issues).to.deep.equal([])
      await set({ Paused: false })
      await receiver.wait(({ body }) => body.includes('three'))
      expect(texts()).to.deep.equal(['before', 'before', 'one', 'two', 'three'])
      await pending(0)
    })

    it('may be one of several, or one of all sessions, and is paused from the start', async () => {
      const URL = `${receiver.url}/more`
      const added = await session.post('/webhook/endpoints', { URL, Paused: true })
      const all = await world.gateway.post('/webhook/global', { URL, Paused: true }, admin)
      for (const { data } of [added, all]) expect(data.State).to.equal('paused')
      const { Id } = all.data
      const change = async (fields: object) =>
        (await world.gateway.post('/webhook/global', { Id, URL, ...fields }, admin)).data.State
      expect(await change({})).to.equal('paused')
      expect(await change({ Paused: false })).to.equal('active')
    })

    it('is no longer paused after it was removed', async () => {
      await session.post('/webhook', { WebhookURL: receiver.url, Paused: true })
      await session.post('/webhook', { WebhookURL: '' })
      await session.post('/webhook', { WebhookURL: receiver.url })
      expect((await session.get('/webhook')).data.state).to.equal('active')
    })
  })
}
