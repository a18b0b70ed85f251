import { expect } from 'chai'
import { definePlugin, type Plugin } from '../../../kernel/plugin.ts'
import { order } from '../../../kernel/wiring/order.ts'

describe('the order of plugins', () => {
  const plugin = (
    name: string,
    services: { provides?: string[]; needs?: string[]; wants?: string[] },
  ): Plugin =>
    ({
      ...definePlugin({ name, version: '1.0.0', api: '*' }),
      spec: { name, version: '1.0.0', api: '*', ...services },
    }) as Plugin
  const sorted = (...plugins: Plugin[]): string[] => order(plugins).sorted.map(({ spec }) => spec.name)
  const faults = (...plugins: Plugin[]): string[] => order(plugins).faults.map(({ message }) => message)

  it('puts a plugin after those whose services it needs or can use', () => {
    const user = plugin('user', { needs: ['store'], wants: ['log'] })
    const store = plugin('store', { provides: ['store'], needs: ['log'] })
    const log = plugin('log', { provides: ['log'] })
    expect(sorted(user, store, log)).to.deep.equal(['log', 'store', 'user'])
  })

  it('keeps the given order otherwise, and ignores services without a provider', () => {
    expect(
      sorted(plugin('b', { wants: ['none'] }), plugin('a', { needs: ['none'] }), plugin('c', {})),
    ).to.deep.equal(['b', 'a', 'c'])
    expect(sorted(plugin('own', { provides: ['x'], needs: ['x'] }))).to.deep.equal(['own'])
  })

  it('reports every service with two providers', () => {
    const [first = '', ...more] = faults(plugin('a', { provides: ['x'] }), plugin('b', { provides: ['x'] }))
    expect(first).to.equal('"x" is provided by both "a" and "b"; enable one of them')
    expect(more).to.deep.equal([])
  })

  it('reports a circle by its members, and still sorts the others', () => {
    const a = plugin('a', { provides: ['a'], needs: ['b'] })
    const b = plugin('b', { provides: ['b'], needs: ['a'] })
    const [circle = ''] = faults(a, b)
    expect(circle).to.include('a -> b -> a')
    expect(sorted(a, b, plugin('c', {}))).to.include.members(['a', 'b', 'c'])
  })
})
