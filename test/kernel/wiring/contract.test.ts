import { expect } from 'chai'
import { asValue, definePlugin, type Plugin } from '../../../kernel/plugin.ts'
import { order } from '../../../kernel/wiring/order.ts'
import { prepare } from '../../../kernel/wiring/prepare.ts'
import { checkPlugin, startTestGateway } from '../../../plugins/sandbox/testing/index.ts'
import { startedGateway } from '../../support/gateway.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    price: { of(item: string): string }
    till: { total(): string }
  }
  interface GatewayContributions {
    greeting: string
  }
}

const base = { version: '1.0.0', api: '^1.0.0' }
const shop = definePlugin({
  ...base,
  name: 'shop',
  provides: ['price'],
  services: () => ({ price: asValue({ of: (item: string) => `price of ${item}` }) }),
})
const till = definePlugin({
  ...base,
  name: 'till',
  needs: ['price'],
  provides: ['till'],
  services: ({ log }) => ({
    till: asValue({ total: () => log.level }),
  }),
  routes: (r) => [
    r.get('/till', {
      summary: 'Till',
      access: 'public',
      handle: async (_, { price }) => ({ Price: price.of('tea') }),
    }),
  ],
})
const wrapper = (name: string, more: object = {}): Plugin =>
  definePlugin({
    ...base,
    name,
    decorates: { price: (next) => ({ of: (item) => `${name}(${next.of(item)})` }) },
    ...more,
  })
const rival = definePlugin({
  ...base,
  name: 'rival',
  provides: ['price'],
  overrides: ['price'],
  services: () => ({ price: asValue({ of: () => 'half' }) }),
})
const listed = (...plugins: Plugin[]) => ({ plugins: plugins.map((plugin) => ({ plugin })) })
const priceAt = async (...plugins: Plugin[]): Promise<string> => {
  const gateway = await startedGateway(listed(...plugins))
  const { data } = await gateway.get('/till')
  await gateway.stop()
  return data.Price
}

describe('services of several plugins', () => {
  it('are wrapped by decorators before anyone gets them, the first plugin outermost', async () => {
    expect(await priceAt(till, wrapper('a'), wrapper('b'), shop)).to.equal('a(b(price of tea))')
    expect(await priceAt(till, wrapper('a', { order: { after: ['b'] } }), wrapper('b'), shop)).to.equal(
      'b(a(price of tea))',
    )
  })

  it('are taken from the plugin that overrides them, and the description names it', async () => {
    expect(await priceAt(till, shop, rival)).to.equal('half')
    const described = prepare(listed(till, shop, rival).plugins)
    expect(described.map(({ name, provides }) => [name, provides])).to.deep.include.members([
      ['shop', []],
      ['rival', ['price']],
    ])
  })

  it('are refused where two plugins override one, and where nobody provides what is decorated', () => {
    const other = definePlugin({ ...rival.spec, name: 'other' } as never)
    const { faults } = order([shop, rival, other])
    expect(faults.map(({ code }) => code)).to.deep.equal(['PLUGIN_SERVICE_TAKEN'])
    expect(() => prepare(listed(wrapper('a')).plugins)).to.throw('plugin "a" needs "price"')
  })
})

describe('contributions', () => {
  const greeter = (name: string, more: object = {}): Plugin =>
    definePlugin({ ...base, name, contributes: { greeting: () => `from ${name}` }, ...more })
  const collector = definePlugin({
    ...base,
    name: 'collector',
    collects: ['greeting'],
    routes: (r) => [
      r.get('/greetings', {
        summary: 'Greetings',
        access: 'public',
        handle: async (_, { contributions }) => ({ All: contributions('greeting') }),
      }),
    ],
  })
  const collected = async (...plugins: Plugin[]): Promise<string[]> => {
    const gateway = await startedGateway(listed(...plugins))
    const { data } = await gateway.get('/greetings')
    await gateway.stop()
    return data.All.map(({ plugin, value }: { plugin: string; value: string }) => {
      expect(value).to.equal(`from ${plugin}`)
      return plugin
    })
  }

  it('are collected in the order of the plugins, and of "before" and "after"', async () => {
    expect(await collected(collector, greeter('a'), greeter('b'))).to.deep.equal(['a', 'b'])
    expect(
      await collected(collector, greeter('a'), greeter('b', { order: { before: ['a', 'absent'] } })),
    ).to.deep.equal(['b', 'a'])
    expect(await collected(greeter('a', { order: { after: ['b'] } }), greeter('b'), collector)).to.deep.equal(
      ['b', 'a'],
    )
  })

  it('end the start when they fail, unless the plugin is optional', async () => {
    const broken = greeter('broken', {
      contributes: {
        greeting: () => {
          throw new Error('no voice')
        },
      },
    })
    const fault = await startedGateway(listed(collector, broken)).catch((error: Error) => error)
    expect((fault as Error).message).to.include(
      'plugin "broken" failed in its contribution to "greeting": no voice',
    )
    const gateway = await startedGateway({
      plugins: [{ plugin: collector }, { plugin: broken, optional: true }],
    })
    expect((await gateway.get('/greetings')).data).to.deep.equal({ All: [] })
    await gateway.stop()
  })

  it('report a circle of "before" and "after"', () => {
    const { faults } = order([
      greeter('a', { order: { before: ['b'] } }),
      greeter('b', { order: { before: ['a'] } }),
    ])
    expect(faults.map(({ code }) => code)).to.include('PLUGIN_CYCLE')
  })

  it('are found by checkPlugin where nobody collects them, without the companion that does', async () => {
    expect(await checkPlugin(greeter('a'), { companions: [collector] })).to.deep.equal([])
    expect((await checkPlugin(greeter('a'))).join()).to.include('"greeting", which no plugin collects')
    const wrong = greeter('a', { overrides: ['price'], order: { before: ['a'] } })
    expect((await checkPlugin(wrong, { companions: [collector] })).join())
      .to.include('not in its "provides"')
      .and.include('must not name the plugin itself')
  })
})

describe('startTestGateway without a built-in plugin', () => {
  it('takes its services from the plugin under test', async () => {
    const mine = { convert: 'mine' } as never
    const media = definePlugin({
      ...base,
      name: 'my-media',
      provides: ['media'],
      services: () => ({ media: asValue(mine) }),
    })
    const gateway = await startTestGateway({ plugins: [media], without: ['media'] })
    expect(gateway.describe().plugins.map(({ name }) => name)).to.not.include('media')
    expect(gateway.service('media')).to.equal(mine)
    await gateway.stop()
    const fault = await startTestGateway({ plugins: [], without: ['nonsense'] }).catch(
      (error: Error) => error,
    )
    expect((fault as Error).message).to.include('"without" names the plugin "nonsense"')
  })
})
