import { expect } from 'chai'
import { asValue, definePlugin, type Ownership, type PluginDb, T } from 'wamux/plugin'
import { everyEngine } from '../../../support/databases.ts'
import { admin, startWorld, type World } from '../../../support/world.ts'

const schema = T.Object({ greeting: T.String({ default: 'Hello', description: 'First words' }) })
const greeter = definePlugin({
  name: 'greeter',
  version: '1.0.0',
  api: '^1.0.0',
  contributes: { sessionSettings: () => ({ title: 'Greeter', schema }) },
})
/** Only PostgreSQL may be shared by several processes. */
const engine = everyEngine.find(({ name }) => name === 'PostgreSQL')

const onShared = engine ? describe : describe.skip

onShared('settings of a session that was gained from another process', () => {
  let world: World
  let storage: PluginDb
  const listeners: Parameters<Ownership['watch']>[0][] = []
  const ownership: Ownership = {
    owns: () => true,
    watch(listener) {
      listeners.push(listener)
      return () => undefined
    },
  }
  const owners = definePlugin({
    name: 'owners',
    version: '1.0.0',
    api: '^1.0.0',
    provides: ['ownership'],
    services: () => ({ ownership: asValue(ownership) }),
    setup: async ({ db }) => {
      storage = db
    },
  })
  before(async () => {
    world = await startWorld({ extra: [greeter, owners] }, engine)
  })
  after(() => world.stop())

  it('are those that the other one has stored', async () => {
    const settings = world.gateway.service('sessionSettings')
    const { data } = await world.gateway.post('/session/init', {}, admin)
    const put = (greeting: string) =>
      world.gateway.call('PUT', '/session/settings/greeter', {
        body: { Values: { greeting } },
        headers: { token: data.Token },
      })
    const greeting = (): string => settings.of(data.Id, 'greeter', schema).greeting
    await put('from there')
    const row = { session: data.Id, plugin: 'greeter' }
    const { value } = await storage.read('session_settings_values').where(row).first()
    await put('from here')
    // Past the gateway, as another process would.
    await storage.transact((trx) => trx('session_settings_values').where(row).update({ value }))
    expect(greeting()).to.equal('from here')
    for (const listener of listeners) void listener(data.Id, true)
    await settings.ready(data.Id)
    expect(greeting()).to.equal('from there')
  })
})
