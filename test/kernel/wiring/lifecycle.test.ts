import { expect } from 'chai'
import { asFunction, definePlugin, type Plugin } from '../../../kernel/plugin.ts'
import { startedGateway, testGateway } from '../../support/gateway.ts'

const base = { version: '1.0.0', api: '^1.0.0' }
const route = (name: string): Pick<Parameters<typeof definePlugin>[0], 'routes'> => ({
  routes: (r) => [
    r.get(`/${name}`, { summary: 's', access: 'public', handle: async () => ({ from: name }) }),
  ],
})
const good = definePlugin({ ...base, name: 'good', ...route('good') })
const broken = (name: string): Plugin =>
  definePlugin({
    ...base,
    name,
    ...route(name),
    setup: () => Promise.reject(new Error(`${name} has no electricity`)),
  })

/** A service that notes when it is closed, after some turns of the event loop. */
const thingOf = (name: string, closed: string[]) =>
  asFunction(() => name)
    .singleton()
    .disposer(async () => {
      await new Promise(setImmediate)
      closed.push(name)
    })

describe('starting plugins', () => {
  it('names every plugin that failed, and why, in one error, and closes what had started', async () => {
    const closed: string[] = []
    const first = definePlugin({
      ...base,
      name: 'first',
      services: () => ({ thing: thingOf('first', closed) }),
      setup: async ({ thing }) => void expect(thing).to.equal('first'),
    })
    const gateway = testGateway({
      plugins: [{ plugin: first }, { plugin: broken('a') }, { plugin: broken('b') }],
    })
    const error = await gateway.start().catch((reason: Error) => reason)
    expect(error).to.have.property('code', 'START_FAILED')
    expect(String(error)).to.include('plugin "a" failed in setup: a has no electricity').and.include('"b"')
    expect(closed).to.deep.equal(['first'])
  })

  it('goes on without an optional plugin, whose routes say so', async () => {
    const plugins = [{ plugin: good }, { plugin: broken('a'), optional: true }]
    const gateway = await startedGateway({ plugins })
    expect((await gateway.get('/good')).data).to.deep.equal({ from: 'good' })
    const answer = await gateway.get('/a')
    expect(answer).to.include({ status: 503, error: 'The plugin "a" is not available: a has no electricity' })
    expect(gateway.describe().plugins.map(({ state }) => state)).to.deep.equal(['ready', 'failed'])
    await gateway.stop()
  })

  it("refuses tables without the plugin's prefix", async () => {
    const up = async (knex: {
      schema: {
        createTable(
          name: string,
          make: (table: { text(name: string): unknown }) => void,
        ): PromiseLike<unknown>
      }
    }) => {
      await knex.schema.createTable('loot', (table) => void table.text('a'))
    }
    const migrations = { '001_loot': { up: up as never, down: async () => undefined } }
    const gateway = testGateway({
      plugins: [{ plugin: definePlugin({ ...base, name: 'thief', migrations }) }],
    })
    const error = await gateway.start().catch((reason: Error) => reason)
    expect(String(error)).to.include('created the table "loot"; its tables must begin with "thief_"')
  })

  it("keeps two plugins' services of one name apart", async () => {
    const counter = (name: string): Plugin =>
      definePlugin({
        ...base,
        name,
        services: () => ({ repo: asFunction(() => ({ owner: name })).singleton() }),
        routes: (r) => [
          r.get(`/${name}`, { summary: 's', access: 'public', handle: async (_, { repo }) => repo }),
        ],
      })
    const gateway = await startedGateway({ plugins: [{ plugin: counter('x') }, { plugin: counter('y') }] })
    expect((await gateway.get('/x')).data).to.deep.equal({ owner: 'x' })
    expect((await gateway.get('/y')).data).to.deep.equal({ owner: 'y' })
    await gateway.stop()
  })
})

describe('stopping plugins', () => {
  it('closes a service before those that it uses, one after the other, and the others where one fails', async () => {
    const closed: string[] = []
    const plugin = definePlugin({
      ...base,
      name: 'layers',
      services: () => ({
        store: thingOf('store', closed),
        queue: asFunction(({ store }: { store: string }) => `queue on ${store}`)
          .singleton()
          .disposer(async () => {
            await new Promise(setImmediate)
            closed.push('queue')
            throw new Error('no power')
          }),
        unused: thingOf('unused', closed),
        worker: asFunction(({ queue }: { queue: string }) => `worker of ${queue}`)
          .singleton()
          .disposer(() => void closed.push('worker')),
      }),
      ready: async ({ worker }) => void expect(worker).to.equal('worker of queue on store'),
    })
    const gateway = await startedGateway({ plugins: [{ plugin }] })
    await gateway.stop()
    expect(closed).to.deep.equal(['worker', 'queue', 'store'])
  })
})
