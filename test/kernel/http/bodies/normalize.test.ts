import { expect } from 'chai'
import fc from 'fast-check'
import { Type as T, type TSchema } from 'typebox'
import { normalizer } from '../../../../kernel/http/bodies/normalize.ts'

describe('normalizing a body', () => {
  const run = (schema: TSchema, body: unknown): { body: unknown; unknown: string[] } => {
    const unknown: string[] = []
    const result = normalizer(schema)(body, (path) => unknown.push(path))
    return { body: JSON.parse(JSON.stringify(result)), unknown }
  }
  const field = (schema: TSchema, value: unknown): unknown =>
    (run(T.Object({ Field: schema }), { Field: value }).body as { Field?: unknown }).Field

  it('finds a key exactly, then in another case, then by an alias', () => {
    const schema = T.Object({ Name: T.String({ aliases: ['Title'] }), name: T.String() })
    expect(run(schema, { name: 'a', NAME: 'b' }).body).to.deep.equal({ name: 'a', Name: 'b' })
    expect(run(schema, { TITLE: 'c' }).body).to.deep.equal({ Name: 'c' })
  })

  it('reports unknown fields with their path and leaves them out', () => {
    const schema = T.Object({ List: T.Array(T.Object({ A: T.String() })) })
    const { body, unknown } = run(schema, { List: [{ A: 'x', B: 1 }], __proto: 1, C: 2 })
    expect(body).to.deep.equal({ List: [{ A: 'x' }] })
    expect(unknown).to.have.members(['List.0.B', '__proto', 'C'])
    expect(run(T.Object({}), JSON.parse('{"__proto__":{"x":1}}')).unknown).to.deep.equal(['__proto__'])
  })

  it('takes null and empty text as absent, unless the schema accepts them', () => {
    for (const blank of [null, '']) expect(field(T.String(), blank)).to.equal(undefined)
    expect(field(T.String({ allowEmpty: true }), '')).to.equal('')
    expect(field(T.Union([T.Literal(''), T.Literal('a')]), '')).to.equal('')
    expect(field(T.Union([T.String(), T.Null()]), null)).to.equal(null)
    expect(field(T.Array(T.String()), ['a', ''])).to.deep.equal(['a', null])
  })

  it('reads numbers and booleans from text, and leaves any other text', () => {
    expect(
      ['3', ' -1.5 ', '1e3', '0x10', '1,5', '9'.repeat(41)].map((text) => field(T.Number(), text)),
    ).to.deep.equal([3, -1.5, 1000, '0x10', '1,5', '9'.repeat(41)])
    expect(['true', 'FALSE', 'yes', '1'].map((text) => field(T.Boolean(), text))).to.deep.equal([
      true,
      false,
      'yes',
      '1',
    ])
    expect(field(T.Union([T.Number(), T.String()]), '3')).to.equal('3')
  })

  it('reads phones and ids from numbers, but not from those that lost digits', () => {
    expect(field(T.String({ format: 'phone' }), 5511999999999)).to.equal('5511999999999')
    expect(field(T.String(), 5)).to.equal(5)
    const rounded = 2 ** 60
    expect(field(T.String({ format: 'id' }), rounded)).to.equal(rounded)
  })

  it('makes a list of one value', () => {
    expect(field(T.Array(T.String()), 'a')).to.deep.equal(['a'])
    expect(field(T.Array(T.String({ format: 'phone' })), 5)).to.deep.equal(['5'])
    expect(field(T.Array(T.Object({})), 7)).to.equal(7)
  })

  it('takes one of a few values in any case, in the spelling of the schema', () => {
    const choice = T.Enum(['image', 'Video', ''])
    expect(['IMAGE', 'video', 'audio', ''].map((text) => field(choice, text))).to.deep.equal([
      'image',
      'Video',
      'audio',
      '',
    ])
    expect(field(T.Union([T.Literal('dead'), T.Literal('done')]), 'Dead')).to.equal('dead')
    expect(field(T.Array(T.Enum(['read', 'send'])), ['READ', 'send'])).to.deep.equal(['read', 'send'])
    expect(field(T.Array(T.Enum(['read', 'send'])), 'SEND')).to.deep.equal(['send'])
    // Values that the handler checks, since it refuses others in words of its own.
    expect(['7D', '8H', 7].map((text) => field(T.String({ words: ['7d', '90d'] }), text))).to.deep.equal([
      '7d',
      '8H',
      7,
    ])
    const onOff = T.Unsafe({ type: ['boolean', 'string'], words: ['true', 'pin'] })
    expect(['PIN', 'True', true].map((value) => field(onOff, value))).to.deep.equal(['pin', 'true', true])
  })

  it('leaves texts that are free, or that differ from each other in case alone', () => {
    expect(field(T.Union([T.Literal('auto'), T.String()]), 'AUTO')).to.equal('AUTO')
    expect(['A', 'b', 'B'].map((text) => field(T.Enum(['a', 'A', 'b']), text))).to.deep.equal(['A', 'b', 'b'])
    expect(field(T.Enum(['a']), 'A'.repeat(100_000))).to.have.length(100_000)
  })

  it('changes no body that already fits', () => {
    const schema = T.Object({
      Text: T.String(),
      Count: T.Integer(),
      List: T.Array(T.Object({ On: T.Boolean() })),
    })
    const text = fc.string({ minLength: 1 })
    const bodies = fc.record({
      Text: text,
      Count: fc.integer(),
      List: fc.array(fc.record({ On: fc.boolean() })),
    })
    fc.assert(
      fc.property(bodies, (given) => {
        const body = JSON.parse(JSON.stringify(given))
        expect(run(schema, body)).to.deep.equal({ body, unknown: [] })
      }),
    )
  })
})
