import { asFunction, asValue } from 'awilix'
import { expect } from 'chai'
import type { Kernel } from '../../../kernel/plugin.ts'
import { createPluginContainer } from '../../../kernel/wiring/container.ts'

describe('the container of a plugin', () => {
  const kernel = { config: { size: 3 } } as unknown as Kernel<unknown>

  it('resolves the kernel, services of other plugins, and its own from those', () => {
    const double = ({ config, unit }: { config: { size: number }; unit: string }) =>
      `${config.size * 2} ${unit}`
    const { cradle } = createPluginContainer('p', kernel, { unit: 'kg' }, { weight: asFunction(double) })
    expect((cradle as { weight: string }).weight).to.equal('6 kg')
  })

  it('shares nothing with the container of another plugin', () => {
    const services = () => ({ repo: asFunction(() => ({})).singleton() })
    const [a, b] = ['a', 'b'].map((name) => createPluginContainer(name, kernel, {}, services()))
    expect(a?.resolve('repo')).to.equal(a?.resolve('repo'))
    expect(a?.resolve('repo')).to.not.equal(b?.resolve('repo'))
  })

  it('refuses a service under a name of the kernel or of another plugin', () => {
    for (const name of ['config', 'unit'])
      expect(() => createPluginContainer('p', kernel, { unit: 1 }, { [name]: asValue(2) })).to.throw(
        `plugin "p", service "${name}"`,
      )
  })

  it('names a service that is not there', () => {
    const { cradle } = createPluginContainer('p', kernel, {}, {})
    expect(() => (cradle as { missing: unknown }).missing).to.throw('missing')
  })
})
