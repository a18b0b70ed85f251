import { expect } from 'chai'
import { type Engine, engines } from '../../support/databases.ts'
import { startReceiver } from '../../support/receiver.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { stepper } from './stepper.ts'

for (const engine of engines) {
  describe(`webhook deliveries over a restart on ${engine.name}`, () => {
    it('delivers a retry that is not due yet at the start, without another event', async () => {
      const database = engine.fresh()
      const same: Engine = { name: engine.name, fresh: () => database }
      const start = (): Promise<World> =>
        startWorld({ config: { webhook: { retrySeconds: [2] } }, extra: [stepper] }, same)
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
      await receiver.count(2)
      await second.stop()
      const ids = receiver.deliveries.map(({ headers }) => headers['webhook-id'])
      expect(ids[1]).to.equal(ids[0])
      await receiver.close()
    })
  })
}
