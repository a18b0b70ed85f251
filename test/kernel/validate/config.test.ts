import { expect } from 'chai'
import { Type as T } from 'typebox'
import { checkConfig } from '../../../kernel/validate/config.ts'

describe('the check of a configuration', () => {
  const schema = T.Object({
    port: T.Integer({ default: 80 }),
    mode: T.Optional(T.Union([T.Literal('fast'), T.Literal('safe')])),
    hosts: T.Array(T.String(), { default: [] }),
  })

  it('fills defaults, reads text of the environment, and freezes the result', () => {
    const checked = checkConfig(schema, { port: '8080', hosts: 'one' }) as { config: object }
    expect(checked).to.deep.equal({ config: { port: 8080, hosts: ['one'] } })
    expect(Object.isFrozen(checked.config)).to.equal(true)
  })

  it('names every value that a union of constants allows, in one fault', () => {
    expect(checkConfig(schema, { mode: 'slow' })).to.deep.equal({
      faults: ['"mode" must be one of: fast, safe'],
    })
  })

  it('names all faults, and the keys that exist', () => {
    expect(checkConfig(schema, { port: 'eighty', prot: 1 })).to.deep.equal({
      faults: ['unknown key "prot"; known: port, mode, hosts', '"port" must be integer'],
    })
    expect(checkConfig(undefined, {})).to.deep.equal({ config: {} })
    expect(checkConfig(undefined, { a: 1 })).to.deep.equal({ faults: ['unknown key "a"; known: none'] })
  })
})
