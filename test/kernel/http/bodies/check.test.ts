import { expect } from 'chai'
import { Type as T, type TSchema } from 'typebox'
import { bodyChecks } from '../../../../kernel/http/bodies/check.ts'

describe('the check of a body', () => {
  const check = (schema: TSchema, value: unknown): unknown => {
    const run = bodyChecks()(schema)
    try {
      return run(value, () => undefined)
    } catch (error) {
      return String((error as Error).message)
    }
  }
  const literals = T.Object({ Kind: T.Union([T.Literal('a'), T.Literal('b'), T.Literal('c')]) })

  it('names every value that a union of constants allows', () => {
    expect(check(literals, { Kind: 'x' })).to.equal('Invalid Kind: must be one of a, b, c')
    const nested = T.Object({ List: T.Array(T.Object({ Kind: literals.properties.Kind })) })
    expect(check(nested, { List: [{ Kind: 'x' }] })).to.equal('Invalid List.0.Kind: must be one of a, b, c')
  })

  it('names every value of an enum', () => {
    expect(check(T.Object({ Kind: T.Enum(['a', 'b']) }), { Kind: 'x' })).to.equal(
      'Invalid Kind: must be one of a, b',
    )
  })

  it('names the type of a field, not the values of another', () => {
    expect(check(literals, { Kind: {} })).to.equal('Could not decode Payload: Kind must be string')
    const two = T.Object({ Kind: literals.properties.Kind, Size: T.Union([T.Literal(1), T.Literal(2)]) })
    expect(check(two, { Kind: 'a', Size: 3 })).to.equal('Invalid Size: must be one of 1, 2')
  })

  it('fills defaults, and refuses what is missing', () => {
    const schema = T.Object({ Name: T.String(), Size: T.Integer({ default: 3 }) })
    expect(check(schema, { name: 'x' })).to.deep.equal({ Name: 'x', Size: 3 })
    expect(check(schema, { Name: '' })).to.equal('Missing Name in Payload')
  })

  it('refuses a schema that is none at once', () => {
    expect(() => bodyChecks()({ type: 'no such type' } as TSchema)).to.throw()
  })
})
