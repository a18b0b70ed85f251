import { expect } from 'chai'
import { asFunction, definePlugin, type Kernel } from '../../../kernel/plugin.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import { migrations } from '../../../plugins/cloud-api/migrations.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, openShop, startWorld } from '../../support/world.ts'
import { APP_SECRET, isSigned, startCloudReceiver, textsOf } from './receiver.ts'

type Storage = Pick<Kernel<unknown>, 'db' | 'vault' | 'events'>

declare module 'wamux/plugin' {
  interface GatewayServices {
    formerStorage: Storage
  }
}

const handled: string[] = []

/** What the plugin was to the database before its webhooks were delivered by the plugin webhook. */
const former = definePlugin({
  name: 'cloud-api',
  version: '0.0.1',
  api: '^3.0.0',
  provides: ['formerStorage'],
  migrations: { '001_tables': migrations['001_tables'] as NonNullable<(typeof migrations)['001_tables']> },
  services: () => ({
    formerStorage: asFunction(({ db, vault, events }: Storage) => ({ db, vault, events })).singleton(),
  }),
  consume: {
    types: ['Message'],
    isPerSession: true,
    async handle(events) {
      // Stopped before it had read them: only its cursor knows.
      if (events.some(({ json }) => json?.includes('unread'))) throw new Error('stopping')
      handled.push(...events.map(({ json = '' }) => json))
    },
  },
})

for (const engine of engines) {
  describe(`webhooks of the Cloud API that earlier versions stored, ${engine.name}`, () => {
    it('are delivered by the plugin webhook, with what waited and what was not read yet', async () => {
      const place = engine.fresh()
      const receiver = await startCloudReceiver()
      const first = await openShop({ extra: [former], ...place }, engine)
      const { session, ana, world } = first
      const number = session.phone.account.phone
      const storage = world.gateway.service('formerStorage')
      const id = (await world.gateway.get('/session/all', admin)).data[0].Id
      const seqOf = async (text: string): Promise<number> =>
        eventually(async () => {
          const lines = await storage.events.after(0, 500, { session: id, types: ['Message'] })
          return lines.find(({ json }) => json?.includes(text))?.seq
        }, 'logged')
      const said = async (Text: string): Promise<number> => {
        await ana.send(number, { Text })
        return seqOf(Text)
      }
      await said('accepted')
      const waiting = await said('waited')
      const dead = await said('was dead')
      await said('accepted too')
      await eventually(() => handled.some((json) => json.includes('accepted too')), 'handled')
      await said('unread one')
      await said('unread two')
      const hook = { url: receiver.url, verifyToken: 'v', secret: APP_SECRET }
      const sealed = storage.vault.seal(id, 'cloud_api_hooks/hook', JSON.stringify(hook))
      const body = storage.vault.seal(id, 'any', 'as it was made then')
      const held = { session: id, part: 0, lane: 'l', body, since: 1 }
      await storage.db.write([
        storage.db.put('hooks', ['session'], [{ session: id, hook: sealed }]),
        storage.db.put(
          'backlog',
          ['session', 'seq', 'part'],
          [
            { ...held, seq: waiting, dead: false },
            { ...held, seq: dead, dead: true },
          ],
        ),
      ])
      await world.stop()

      const second = await startWorld({ extra: [cloudApi], ...place }, engine)
      const get = async (path: string) => (await second.gateway.get(path, session.headers)).data
      await receiver.body((value) => textsOf([value]).includes('unread two'))
      expect(textsOf(receiver.bodies()).slice(0, 3)).to.deep.equal(['waited', 'unread one', 'unread two'])
      expect(receiver.deliveries.every(isSigned)).to.equal(true)
      expect(await get('/cloud-api')).to.include({ URL: receiver.url, State: 'active', Dead: 1 })
      await second.gateway.post('/cloud-api/webhook/retry', {}, session.headers)
      await receiver.body((value) => textsOf([value]).includes('was dead'))
      const { length } = receiver.deliveries
      await second.stop()

      // Once: what the rows say is not done again.
      const third = await startWorld({ extra: [cloudApi], ...place }, engine)
      await third.gateway.post('/cloud-api/webhook/retry', {}, session.headers)
      expect((await third.gateway.get('/cloud-api', session.headers)).data).to.include({
        Waiting: 0,
        Dead: 0,
      })
      expect(receiver.deliveries).to.have.length(length)
      await third.stop()
      await receiver.close()
    })
  })
}
