import { expect } from 'chai'
import { asFunction, definePlugin, type Ownership } from '../../../kernel/plugin.ts'
import { everyEngine } from '../../support/databases.ts'
import { type Receiver, startReceiver } from '../../support/servers/receiver.ts'
import { admin, startWorld, type World } from '../../support/world.ts'
import { stepper } from './stepper.ts'

/** Leases that a test takes and gives, as another process would. */
function createLeases() {
  const lost = new Set<string>()
  const listeners = new Set<Parameters<Ownership['watch']>[0]>()
  const change = (session: string, isOwned: boolean): void => {
    if (isOwned) lost.delete(session)
    else lost.add(session)
    for (const listener of listeners) listener(session, isOwned)
  }
  const ownership: Ownership = {
    owns: (session) => !lost.has(session),
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
  const plugin = definePlugin({
    name: 'leases',
    version: '1.0.0',
    api: '^1.0.0',
    provides: ['ownership'],
    services: () => ({ ownership: asFunction(() => ownership).singleton() }),
  })
  return { plugin, change }
}

// SQLite is for one process.
for (const engine of everyEngine.filter(({ name }) => name === 'PostgreSQL')) {
  describe(`webhooks of sessions that change hands on ${engine.name}`, () => {
    const leases = createLeases()
    let world: World
    let receiver: Receiver
    const ids: string[] = []

    before(async () => {
      const config = { webhook: { retrySeconds: Array.from({ length: 50 }, () => 0.1) } }
      world = await startWorld({ config, extra: [leases.plugin, stepper] }, engine)
      receiver = await startReceiver()
      for (let count = 0; count < 2; count += 1) {
        const { data } = await world.gateway.post('/session/init', { Subscribe: ['Message'] }, admin)
        await world.gateway.post('/webhook', { WebhookURL: receiver.url }, { token: data.Token })
        ids.push(data.Id)
      }
    })
    after(async () => {
      await world.stop()
      await receiver.close()
    })

    const step = (session: number, number: number) =>
      world.gateway.service('stepper').raise(ids[session] ?? '', 'step', { chat: `${session}`, number })
    const stepsOf = (session: number): number[] =>
      receiver.deliveries
        .map(({ body }) => JSON.parse(body).event)
        .filter(({ Chat }) => Chat === `${session}`)
        .map(({ Number: number }) => number)
    const delivered = (session: number, number: number) =>
      receiver.wait(({ body }) => {
        const { event } = JSON.parse(body)
        return event.Chat === `${session}` && event.Number === number
      })

    it('are delivered by the process that serves the session only, in order over the take-over', async () => {
      await step(0, 1)
      await delivered(0, 1)
      leases.change(ids[0] ?? '', false)
      for (const number of [2, 3]) await step(0, number)
      await step(1, 1)
      await delivered(1, 1)
      expect(stepsOf(0)).to.deep.equal([1])
      leases.change(ids[0] ?? '', true)
      await delivered(0, 3)
      await step(0, 4)
      await delivered(0, 4)
      expect(stepsOf(0)).to.deep.equal([1, 2, 3, 4])
    })

    it('stop after the attempt under way, and go on with what is open when the session is gained', async () => {
      receiver.answer(({ body }) => ({ status: JSON.parse(body).event.Chat === '0' ? 503 : 200 }))
      await step(0, 5)
      await delivered(0, 5)
      leases.change(ids[0] ?? '', false)
      await step(0, 6)
      await step(1, 2)
      await delivered(1, 2)
      const before = stepsOf(0).length
      receiver.answer(() => ({ status: 200 }))
      await step(1, 3)
      await delivered(1, 3)
      // An attempt may have been under way when it was lost.
      expect(stepsOf(0).length - before).to.be.at.most(1)
      leases.change(ids[0] ?? '', true)
      await delivered(0, 6)
      const steps = stepsOf(0).slice(4)
      expect(steps.filter((step) => step === 6)).to.have.length(1)
      expect(steps).to.deep.equal(steps.toSorted((a, b) => a - b))
    })
  })
}
