import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import { bodyChecks } from '../../../kernel/http/bodies/check.ts'
import { isGatewayError, T } from '../../../kernel/plugin.ts'
import { bounded, sizeOf } from '../../../kernel/validate/bounds.ts'
import { KINDS, type Kind } from '../../../kernel/validate/kinds.ts'

const LIMIT = 100_000
const check = (schema: TSchema, value: unknown): unknown => {
  const body = T.Object({ A: T.Optional(schema) })
  return bodyChecks()(bounded(body, LIMIT).schema)({ A: value }, () => undefined)
}
const refusal = (schema: TSchema, value: unknown): string => {
  try {
    check(schema, value)
  } catch (error) {
    if (isGatewayError(error)) return error.message
    throw error
  }
  return ''
}
const faults = (schema: TSchema): readonly string[] => bounded(T.Object({ A: schema }), LIMIT).faults
const long = (length: number): string => 'x'.repeat(length)

describe('bounds of request schemas', () => {
  for (const [kind, { longest }] of Object.entries(KINDS)) {
    it(`are ${longest} characters for a text of kind ${kind}`, () => {
      const most = Math.min(longest, LIMIT)
      const sample: Partial<Record<Kind, string>> = {
        uri: `https://example.com/${long(Math.max(0, most - 20))}`,
        email: `${long(Math.max(0, most - 12))}@example.com`,
        'time-of-day': '07:30',
        'date-time': '2030-12-24T18:00:00+01:00',
      }
      const schema = T.String({ format: kind })
      expect(refusal(schema, sample[kind as Kind] ?? long(most))).to.equal('')
      expect(refusal(schema, long(most + 1))).to.equal(
        `Invalid A: must NOT have more than ${most} characters`,
      )
    })
  }

  const refused: readonly [kind: Kind, value: string, error: string][] = [
    ['id', '3EB0@', "Invalid A: must not end with '@'"],
    ['uri', 'example', 'Invalid A: must be an absolute URI'],
    ['email', 'ana', 'Invalid A: must be an e-mail address'],
    ['date-time', '2030-12-24', 'Invalid A: must be an RFC 3339 time, for example 2030-12-24T18:00:00+01:00'],
    [
      'date-time',
      '2030-12-31T23:59:60Z',
      'Invalid A: must be an RFC 3339 time, for example 2030-12-24T18:00:00+01:00',
    ],
  ]
  for (const [kind, value, error] of refused)
    it(`come with a check of kind ${kind}, which refuses ${value}`, () => {
      expect(refusal(T.String({ format: kind }), value)).to.equal(error)
    })

  it('are those of a schema itself where it has one, but never more than a body may have', () => {
    expect(refusal(T.String({ maxLength: 2 }), 'xxx')).to.include('more than 2 characters')
    expect(refusal(T.String({ format: 'text', maxLength: 2 }), 'xxx')).to.include('more than 2 characters')
    expect(refusal(T.String({ maxLength: LIMIT * 2 }), long(LIMIT + 1))).to.include(`more than ${LIMIT}`)
  })

  it('are missing where a text has neither kind nor length, at any depth', () => {
    const places: readonly [schema: TSchema, path: string][] = [
      [T.String(), 'A'],
      [T.String({ minLength: 1, pattern: '^x*$' }), 'A'],
      [T.Array(T.String()), 'A[]'],
      [T.Array(T.Object({ B: T.Optional(T.String()) })), 'A[].B'],
      [T.Union([T.Integer(), T.String()]), 'A'],
      [T.Unsafe({ type: ['null', 'string'] }), 'A'],
      [T.Record(T.String(), T.String()), 'A.*'],
      [T.Intersect([T.Object({ B: T.String() })]), 'A.B'],
      [T.Object({ B: T.String() }, { additionalProperties: true }), 'A.B'],
    ]
    for (const [schema, path] of places) {
      const [fault, ...more] = faults(schema)
      expect(fault, JSON.stringify(schema)).to.satisfy((text?: string) =>
        text?.startsWith(`${path} has no bound; give it`),
      )
      expect(more).to.deep.equal([])
    }
    expect(faults(T.String({ format: 'word' }))[0]).to.match(/^A has the unknown format "word"; give it/)
    expect(faults(T.Unsafe({ $ref: '#/$defs/x' }))[0]).to.match(/^A has a \$ref/)
  })

  it('are not needed where the values are listed, or a union has one', () => {
    expect(faults(T.Enum(['a', 'b']))).to.deep.equal([])
    expect(faults(T.Literal('a'))).to.deep.equal([])
    expect(faults(T.Union([T.Object({ B: T.Integer() }), T.String()], { maxLength: 3 }))).to.deep.equal([])
  })

  it('limit lists, records and the names in them', () => {
    const list = T.Array(T.Integer())
    expect(refusal(list, Array(10_000).fill(1))).to.equal('')
    expect(refusal(list, Array(10_001).fill(1))).to.equal('Invalid A: must NOT have more than 10000 items')
    const record = T.Record(T.String(), T.String({ format: 'line' }))
    expect(check(record, { b: 'c' })).to.deep.equal({ A: { b: 'c' } })
    expect(refusal(record, { [long(257)]: 'c' })).to.include('must NOT have more than 256 characters')
    // Which the pattern of the record does not match.
    expect(refusal(record, { 'b\nc': long(1_025) })).to.include('must NOT have more than 1024 characters')
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, at) => [at, 'c']))
    expect(refusal(record, many)).to.include('must NOT have more than 1000 properties')
  })

  it('limit values of any shape as a whole', () => {
    const open: readonly TSchema[] = [
      T.Unknown(),
      T.Record(T.String(), T.Unknown()),
      T.Unsafe({ type: 'object' }),
      T.Object({ B: T.Optional(T.String({ format: 'text' })) }, { additionalProperties: true }),
    ]
    for (const schema of open) {
      expect(refusal(schema, { x: { c: [long(60_000)] } })).to.equal('')
      for (const value of [{ x: { c: [long(65_536)] } }, { [long(65_537)]: 1 }, { x: Array(66_000).fill(0) }])
        expect(refusal(schema, value)).to.equal('Invalid A: must NOT hold more than 65536 characters in all')
    }
    expect(refusal(T.Unknown({ maxSize: 3 }), 'xxxx')).to.include('more than 3 characters in all')
    expect(refusal(T.Unknown({ maxSize: Number.POSITIVE_INFINITY }), long(LIMIT))).to.equal('')
  })

  it('leave a schema as it is, and give every gateway the same copy', () => {
    const schema = T.Object({ A: T.String({ format: 'id' }) })
    const before = JSON.stringify(schema)
    expect(bounded(schema, LIMIT)).to.equal(bounded(schema, LIMIT))
    expect(JSON.stringify(schema)).to.equal(before)
  })

  it('count a character that has two units of UTF-16 once', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (text) => {
        const length = [...text].length
        const schema = T.String({ minLength: 3, maxLength: 8, allowEmpty: true })
        expect(refusal(schema, text) === '').to.equal(length >= 3 && length <= 8)
      }),
    )
  })

  it('are in the guide for authors of plugins as they are', () => {
    const guide = readFileSync(new URL('../../../kernel/docs/plugin-guide.md', import.meta.url), 'utf8')
    const rows = [...guide.matchAll(/^\| `([a-z-]+)` \| ([\d,]+|a whole body) \|/gm)]
    const described = rows.map(([, kind, longest = '']) => [kind, Number(longest.replaceAll(',', ''))])
    const kinds = Object.entries(KINDS).map(([kind, { longest }]) => [
      kind,
      Number.isFinite(longest) ? longest : Number.NaN,
    ])
    expect(described).to.deep.equal(kinds)
  })

  it('measure a value without walking further than they allow', () => {
    expect(sizeOf({ ab: ['cd', 1, null] }, 100)).to.equal(1 + 2 + (1 + 2 + 1 + 1))
    let visited = 0
    const items = Array.from({ length: 1_000 }, () => ({
      get x() {
        visited += 1
        return 1
      },
    }))
    expect(sizeOf(items, 10)).to.be.above(10)
    expect(visited).to.be.below(10)
  })
})
