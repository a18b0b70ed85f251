import { expect } from 'chai'
import { type Engine, engines } from '../../support/databases.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { stepper } from './stepper.ts'

for (const engine of engines) {
  describe(`webhook deliveries over a restart on ${engine.name}`, () => {
    it('delivers a retry that is not due yet at the start, without another event', async () => {
      const database = engine.fresh()
      const same: Engine = { name: engine.name, fresh: () => database }
      const start = (): Promise<World> =>
        startWorld({ config: { webhook: { retrySeconds: [600] } }, extra: [stepper] }, same)
      const receiver = await startReceiver()
      receiver.answer(() => ({ status: 503 }))
      const first = await start()
      const { data } = await first.gateway.post('/session/init', { Subscribe: ['Message'] }, admin)
      await first.gateway.post('/webhook', { WebhookURL: receiver.url }, { token: data.Token })
      await first.gateway.service('stepper').raise(data.Id, 'step', { chat: 'x', number: 0 })
      await receiver.count(1)
      await first.stop()

      receiver.answer(() => ({ status: 200 }))
      const second = await start()
      await second.gateway.post('/sandbox/clock', { Advance: '15 minutes' }, admin)
      await receiver.count(2)
      await second.stop()
      const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
      expect(ids[1]).to.equal(ids[0])
      await receiver.close()
    })

    it('of all sessions outlive a new master key, and follow the configuration', async () => {
      const database = engine.fresh()
      const same: Engine = { name: engine.name, fresh: () => database }
      const keyOf = (fill: number): string => Buffer.alloc(32, fill).toString('base64')
      const start = (keys: string, globalUrl = ''): Promise<World> =>
        startWorld({ config: { webhook: { globalUrl } }, extra: [stepper], keys }, same)
      const receiver = await startReceiver()
      const first = await start(`k1:${keyOf(7)}`, `${receiver.url}/configured`)
      await first.gateway.post('/webhook/global', { URL: receiver.url, Headers: { 'X-Kept': 'yes' } }, admin)
      const session = (await first.gateway.post('/session/init', {}, admin)).data.Id
      await first.stop()
      await (await start(`k2:${keyOf(9)},k1:${keyOf(7)}`, `${receiver.url}/configured`)).stop()

      const last = await start(`k2:${keyOf(9)}`, `${receiver.url}/configured`)
      const listed = async () => (await last.gateway.get('/webhook/global', admin)).data.Endpoints
      const [configured] = (await listed()).filter(({ Id }: { Id: string }) => Id === 'ep_configured')
      expect(configured.URL).to.equal(`${receiver.url}/configured`)
      const change = { Id: 'ep_configured', URL: receiver.url }
      expect((await last.gateway.post('/webhook/global', change, admin)).status).to.equal(400)
      await last.gateway.service('stepper').raise(session, 'step', { chat: 'x', number: 0 })
      await receiver.count(2)
      const byPath = Object.fromEntries(receiver.deliveries.map((delivery) => [delivery.path, delivery]))
      expect(Object.keys(byPath)).to.have.members(['/hook', '/hook/configured'])
      expect(byPath['/hook']?.headers)
        .to.include({ 'x-kept': 'yes' })
        .and.to.have.property('webhook-signature')
      expect(byPath['/hook/configured']?.headers).not.to.have.property('webhook-signature')
      await last.stop()

      const without = await start(`k2:${keyOf(9)}`)
      const { Endpoints } = (await without.gateway.get('/webhook/global', admin)).data
      expect(Endpoints.map(({ URL }: { URL: string }) => URL)).to.deep.equal([receiver.url])
      await without.stop()
      await receiver.close()
    })
  })
}
