import { expect } from 'chai'
import { definePlugin, gatewayError, T } from '../../../kernel/plugin.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

const admin = { admintoken: ADMIN }
const KINDS = ['a', 'b'] as const

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/typed', {
      ignoresUnknown: true,
      summary: 'Answers its body',
      access: 'admin',
      body: T.Object({
        Phone: T.String({ minLength: 1, format: 'phone', aliases: ['Number'] }),
        Text: T.Optional(T.String({ format: 'text', aliases: ['Body'] })),
        Clears: T.Optional(T.String({ format: 'text', allowEmpty: true })),
        Currency: T.Optional(T.String({ maxLength: 3, pattern: '^[A-Z]{3}$' })),
        Kind: T.Optional(T.Enum(KINDS)),
        Flag: T.Optional(T.Boolean()),
        On: T.Boolean({ default: true }),
        Count: T.Optional(T.Integer({ minimum: 0 })),
        Latitude: T.Optional(T.Number({ minimum: -90, maximum: 90 })),
        Font: T.Optional(T.Unsafe<number>({ enum: [0, 1, 2] })),
        Span: T.Optional(T.Union([T.Integer(), T.String({ format: 'line' })])),
        Amount: T.Optional(T.Union([T.Integer(), T.Object({ value: T.Integer() })])),
        Either: T.Optional(
          T.Union([
            T.Object({ One: T.String({ format: 'line' }) }),
            T.Object({ Two: T.String({ format: 'line' }) }),
          ]),
        ),
        List: T.Optional(T.Array(T.String({ format: 'line' }))),
        Inner: T.Optional(
          T.Object({
            StanzaId: T.Optional(T.String({ format: 'id', pattern: '^\\w+$' })),
            Score: T.Optional(T.Integer()),
            Free: T.Optional(T.Unsafe<object>({ type: 'object' })),
          }),
        ),
        Rows: T.Optional(
          T.Array(
            T.Object({
              title: T.String({ minLength: 1, format: 'line' }),
              id: T.Optional(T.String({ maxLength: 64 })),
            }),
          ),
        ),
      }),
      handle: async ({ body }) => body,
    }),
    r.post('/typed/closed', {
      summary: 'Takes nothing that it does not know',
      access: 'admin',
      body: T.Object({
        A: T.Optional(T.String({ format: 'line' })),
        Inner: T.Optional(T.Object({ B: T.Optional(T.Boolean()) })),
      }),
      handle: async ({ body }) => body,
    }),
    r.post('/typed/fails', {
      ignoresUnknown: true,
      summary: 'Fails after its body was accepted',
      access: 'admin',
      body: T.Object({ A: T.Optional(T.String({ format: 'line' })) }),
      handle: async () => Promise.reject(gatewayError('NO_CLIENT')),
    }),
    r.get('/typed', {
      summary: 'Takes its fields from the query',
      access: 'public',
      body: T.Object({
        Phone: T.Optional(T.String({ minLength: 1, format: 'phone' })),
        Preview: T.Optional(T.Boolean()),
        Count: T.Optional(T.Integer()),
      }),
      handle: async ({ body }) => body,
    }),
  ],
})

describe('bodies of typed clients', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }] })
  })
  after(() => gateway.stop())

  const fate = async (body: object): Promise<unknown> => {
    const { data, error } = await gateway.post('/typed', body, admin)
    if (error) return error
    const { Phone: _phone, On: _on, ...rest } = data
    return rest
  }
  const accepted: readonly [what: string, sent: object, taken: object][] = [
    [
      'null of optional fields, at every level, as absent',
      {
        Text: null,
        Currency: null,
        Flag: null,
        On: null,
        Count: null,
        Span: null,
        Amount: null,
        List: null,
        Inner: { StanzaId: null, Score: null },
        Rows: [{ title: 'x', id: null }],
      },
      { Inner: {}, Rows: [{ title: 'x' }] },
    ],
    [
      'empty text of optional fields, at every level, as absent',
      {
        Text: '',
        Currency: '',
        Kind: '',
        Flag: '',
        On: '',
        Count: '',
        Font: '',
        Span: '',
        Amount: '',
        List: '',
        Inner: { StanzaId: '', Score: '', Free: '' },
        Rows: [{ title: 'x', id: '' }],
      },
      { Inner: {}, Rows: [{ title: 'x' }] },
    ],
    ['empty text where it means something', { Clears: '' }, { Clears: '' }],
    [
      'numbers that are given as text',
      {
        Count: '12',
        Latitude: ' -23.5 ',
        Font: '2',
        Amount: '100',
        Inner: { Score: '3' },
        Span: '12',
      },
      { Count: 12, Latitude: -23.5, Font: 2, Amount: 100, Inner: { Score: 3 }, Span: '12' },
    ],
    ['numbers below a union', { Amount: { value: '7' } }, { Amount: { value: 7 } }],
    ['either branch of a union of objects', { Either: { two: 'x' } }, { Either: { Two: 'x' } }],
    ['booleans in the spelling of other languages', { Flag: 'True' }, { Flag: true }],
    ['a full alias beside an empty field', { Text: '', Body: 'x' }, { Text: 'x' }],
    [
      'nothing inside of what is free',
      { Inner: { Free: { a: null, b: '' } } },
      { Inner: { Free: { a: null, b: '' } } },
    ],
  ]
  for (const [what, sent, taken] of accepted) {
    it(`takes ${what}`, async () => {
      expect(await fate({ Phone: '1', ...sent })).to.deep.equal(taken)
    })
  }

  const refused: readonly [what: string, body: object, error: string][] = [
    ['null of a required field', { Phone: null }, 'Missing Phone in Payload'],
    ['empty text of a required field', { Phone: '' }, 'Missing Phone in Payload'],
    [
      'null of a required field in a union',
      { Phone: '1', Amount: { value: null } },
      'Missing Amount.value in Payload',
    ],
    ['a number that has lost digits', { Phone: 2 ** 60 }, 'Could not decode Payload: Phone must be string'],
    [
      'null of a required field below',
      { Phone: '1', Rows: [{ title: null }] },
      'Missing Rows.0.title in Payload',
    ],
    ['a list with null', { Phone: '1', List: ['a', null] }, 'Missing List.1 in Payload'],
    ['a list with empty text', { Phone: '1', List: ['a', ''] }, 'Missing List.1 in Payload'],
    [
      'a number where text is meant',
      { Phone: '1', Clears: 5 },
      'Could not decode Payload: Clears must be string',
    ],
    [
      'text that is no number',
      { Phone: '1', Count: '12a' },
      'Could not decode Payload: Count must be integer',
    ],
    ['hexadecimal', { Phone: '1', Latitude: '0x10' }, 'Could not decode Payload: Latitude must be number'],
    [
      'a number without end',
      { Phone: '1', Latitude: '1e999' },
      'Could not decode Payload: Latitude must be number',
    ],
    [
      'a part where a whole number is meant',
      { Phone: '1', Count: '1.5' },
      'Could not decode Payload: Count must be integer',
    ],
    ['a number out of range', { Phone: '1', Latitude: '91' }, 'Invalid Latitude: must be <= 90'],
  ]
  for (const [what, body, error] of refused) {
    it(`refuses ${what}`, async () => {
      expect(await fate(body)).to.equal(error)
    })
  }

  it('follow the same rules in the query of a GET', async () => {
    const { data } = await gateway.get('/typed?phone=&Preview=True&Count=5')
    expect(data).to.deep.equal({ Preview: true, Count: 5 })
  })
})

describe('unknown fields', () => {
  let gateway: TestGateway
  let strict: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }] })
    strict = await startedGateway({ plugins: [{ plugin: probe }], strictBodies: true })
  })
  after(() => Promise.all([gateway.stop(), strict.stop()]))

  const post = async (path: string, body: unknown, from = gateway, headers = {}) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(from.url + path, {
      method: 'POST',
      headers: { ...admin, ...headers },
      body: text,
    })
    const { data, error } = (await response.json()) as { data?: Record<string, unknown>; error?: string }
    return { status: response.status, ignored: response.headers.get('x-ignored-fields'), data, error }
  }

  it('are ignored, and named in a header', async () => {
    const body = '{"Phone":"1","Fone":"2","__proto__":{"a":1},"Inner":{"x":1},"Rows":[{"title":"a","Y":0}]}'
    const { status, ignored, data } = await post('/typed', body)
    expect(status).to.equal(200)
    expect(ignored).to.equal('Inner.x, Rows.0.Y, Fone, __proto__')
    expect(data).to.deep.equal({ Phone: '1', On: true, Inner: {}, Rows: [{ title: 'a' }] })
    expect(await post('/typed', { Phone: '1' })).to.include({ ignored: null })
  })

  it('are named in errors too: of the body, and of what came after it', async () => {
    expect(await post('/typed', { Fone: '1' })).to.include({
      status: 400,
      error: 'Missing Phone in Payload',
      ignored: 'Fone',
    })
    expect(await post('/typed/fails', { B: 1 })).to.include({ status: 409, ignored: 'B' })
  })

  it('are named in a header of bounded length that holds nothing but plain characters', async () => {
    const named = await post('/typed', { Phone: '1', 'a\r\nSet-Cookie: b=c': 1, 'd,e': 2, ü: 3, '': 4 })
    expect(named.ignored).to.equal('a??Set-Cookie:?b=c, d?e, ?, ?')
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`${at}${'x'.repeat(500)}`, 1]))
    const { status, ignored } = await post('/typed', { Phone: '1', ...many })
    expect(status).to.equal(200)
    expect(ignored)
      .to.have.length.lessThan(2_000)
      .and.match(/^0x+, 1x+, .*, \.\.\.$/)
  })

  it('are refused, with the known ones of their level, unless the route ignores them', async () => {
    const answer = { status: 400, ignored: null }
    expect(await post('/typed/closed', { C: '2' })).to.include({
      ...answer,
      error: 'Unknown field C in Payload; known: A, Inner',
    })
    expect(await post('/typed/closed', { inner: { C: 1 } })).to.include({
      ...answer,
      error: 'Unknown field Inner.C in Payload; known: B',
    })
    const { error = '' } = await post('/typed/closed', { ['x'.repeat(5_000)]: '2' })
    expect(error).to.have.length.below(200)
  })

  it('are refused on every route in strict mode, and where the client prefers that', async () => {
    const error = 'Unknown field Inner.y in Payload; known: StanzaId, Score, Free'
    const body = { Phone: '1', Inner: { y: 1 } }
    expect(await post('/typed', body, strict)).to.include({ status: 400, ignored: null, error })
    const preferring = (prefer: string) => post('/typed', body, gateway, { prefer })
    expect(await preferring('respond-async, Handling="strict"; x=1')).to.include({ status: 400, error })
    expect(await preferring('handling=lenient')).to.include({ status: 200, ignored: 'Inner.y' })
  })

  it('of a query are refused, too, and a repeated field is a list', async () => {
    const get = async (query: string) => (await gateway.get(`/typed?${query}`)).error
    expect(await get('Limit=1')).to.equal('Unknown field Limit in Payload; known: Phone, Preview, Count')
    expect(await get('Count=1&Count=2')).to.equal('Could not decode Payload: Count must be integer')
    const response = await fetch(`${gateway.url}/typed?x=1`, {
      method: 'POST',
      headers: admin,
      body: '{"Phone":"1"}',
    })
    expect(response.headers.get('x-ignored-fields')).to.equal('x')
  })
})
