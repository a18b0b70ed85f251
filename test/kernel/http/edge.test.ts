import { expect } from 'chai'
import { definePlugin, gatewayError, T } from '../../../kernel/plugin.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

const admin = { admintoken: ADMIN }
let calls = 0

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe', {
      ignoresUnknown: true,
      summary: 'Answers its body',
      access: 'admin',
      body: T.Object({
        Phone: T.String({ minLength: 1, format: 'phone', aliases: ['Number'] }),
        Flag: T.Optional(T.Boolean()),
        List: T.Optional(T.Array(T.String({ format: 'line' }))),
        Kind: T.Optional(T.Union([T.Literal('a'), T.Literal('b')])),
        Inner: T.Optional(T.Object({ StanzaId: T.String({ maxLength: 64 }) })),
      }),
      handle: async ({ body }) => {
        calls += 1
        return body
      },
    }),
    r.get('/probe/query', {
      summary: 'Takes fields from the query',
      access: 'public',
      body: T.Object({ Preview: T.Optional(T.Boolean()) }),
      handle: async ({ body }) => body,
    }),
    r.get('/probe/boom', {
      summary: 'Fails with an unexpected error',
      access: 'public',
      handle: async () => Promise.reject(new Error('secret inner words')),
    }),
    r.get('/probe/busy', {
      summary: 'Fails from the table',
      access: 'public',
      handle: async () => Promise.reject(gatewayError('STOPPING', [], { details: 'more' })),
    }),
    r.get('/probe/token', { summary: 'Needs a session', access: 'token', handle: async () => ({}) }),
  ],
})

describe('HTTP edge', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }], bodyLimit: 1_000_000 })
  })
  after(() => gateway.stop())

  const refused: readonly [what: string, body: unknown, status: number, error: string][] = [
    ['no body', '', 400, 'Missing Phone in Payload'],
    ['an empty object', {}, 400, 'Missing Phone in Payload'],
    ['an empty required field', { Phone: '' }, 400, 'Missing Phone in Payload'],
    ['broken JSON', '{"Phone":', 400, 'Could not decode Payload: the body is not valid JSON'],
    ['JSON that is no object', [1], 400, 'Could not decode Payload: the body must be a JSON object'],
    ['a wrong type', { Phone: '1', List: {} }, 400, 'Could not decode Payload: List must be array'],
    [
      'a wrong type below',
      { Phone: '1', Inner: { StanzaId: 4 } },
      400,
      'Could not decode Payload: Inner.StanzaId must be string',
    ],
    ['a value outside its list', { Phone: '1', Kind: 'c' }, 400, 'Invalid Kind: must be one of a, b'],
    [
      'a body over the limit',
      { Phone: 'x'.repeat(1_000_001) },
      413,
      'Payload too large: at most 1000000 bytes',
    ],
  ]
  for (const [what, body, status, error] of refused) {
    it(`refuses ${what} with ${status} and names the matter`, async () => {
      calls = 0
      const answer = await gateway.post('/probe', body, admin)
      expect(answer).to.include({ status, code: status, success: false })
      expect(answer.error).to.include(error)
      expect(calls).to.equal(0)
    })
  }

  it('takes other cases, aliases and loose spellings of a field', async () => {
    const { data } = await gateway.post(
      '/probe',
      { number: 5511, FLAG: 'true', list: 'one', inner: { stanzaID: 'x' } },
      admin,
    )
    expect(data).to.deep.equal({ Phone: '5511', Flag: true, List: ['one'], Inner: { StanzaId: 'x' } })
  })

  it('prefers the exact name over another case of it', async () => {
    const { data } = await gateway.post('/probe', { phone: '2', Phone: '1' }, admin)
    expect(data).to.deep.equal({ Phone: '1' })
  })

  it('refuses a chunked body over the limit', async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(100_000).fill(32))
      },
    })
    const options = { method: 'POST', headers: admin, body, duplex: 'half' }
    const status = await fetch(`${gateway.url}/probe`, options as RequestInit).then(
      (response) => response.status,
      // The connection may be cut while the client still writes: that is a refusal too.
      () => 413,
    )
    expect(status).to.equal(413)
  })

  it('checks access before it reads the body', async () => {
    expect(await gateway.post('/probe', '{', { admintoken: 'wrong' })).to.include({
      status: 401,
      error: 'invalid admin token',
    })
    expect(await gateway.post('/probe', '{')).to.include({ status: 401, error: 'invalid admin token' })
    expect(await gateway.get('/probe/token', { token: 'nobody' })).to.include({
      status: 401,
      error: 'invalid token',
    })
    expect(await gateway.get('/probe/token')).to.include({ status: 401, error: 'invalid token' })
  })

  it('answers unknown paths and methods in the envelope', async () => {
    expect(await gateway.get('/nowhere')).to.include({
      status: 404,
      code: 404,
      error: 'Not found',
      errorCode: 'ROUTE_UNKNOWN',
      success: false,
    })
    expect(await gateway.get('/probe')).to.include({ status: 405, code: 405, error: 'Method not allowed' })
  })

  it('takes fields of a GET from the query, but no credentials', async () => {
    const { data } = await gateway.get('/probe/query?preview=true&token=x')
    expect(data).to.deep.equal({ Preview: true })
  })

  it('keeps inner words of an unforeseen error to the log', async () => {
    expect(await gateway.get('/probe/boom')).to.include({
      status: 500,
      errorCode: 'INTERNAL',
      error: 'Internal error',
    })
    expect(gateway.lines.join('')).to.include('secret inner words')
  })

  it('adds details and Retry-After where the table says so', async () => {
    const response = await fetch(`${gateway.url}/probe/busy`)
    expect(response.status).to.equal(503)
    expect(response.headers.get('retry-after')).to.equal('2')
    expect(await response.json()).to.include({ details: 'more', success: false })
  })

  it('sets headers that keep browsers from making anything of an answer, on each', async () => {
    const answers = [
      ['/probe/query', 200],
      ['/nowhere', 404],
      ['/probe', 405],
      ['/probe/token', 401],
      ['/probe/boom', 500],
    ] as const
    const ids = new Set<string | null>()
    for (const [path, status] of answers) {
      const response = await fetch(gateway.url + path)
      expect(response.status, path).to.equal(status)
      const header = (name: string) => response.headers.get(name)
      expect(header('content-security-policy'), path).to.match(/^default-src 'none'/)
      expect(header('x-content-type-options'), path).to.equal('nosniff')
      expect(header('x-frame-options'), path).to.equal('SAMEORIGIN')
      expect(header('referrer-policy'), path).to.equal('no-referrer')
      expect(header('cache-control'), path).to.equal('no-store')
      expect(header('content-type'), path).to.equal('application/json; charset=utf-8')
      for (const absent of ['x-powered-by', 'access-control-allow-origin', 'server'])
        expect(header(absent), `${path} ${absent}`).to.equal(null)
      expect(await response.text(), path).not.to.match(/secret inner words|\.ts:\d+|at .*\(/)
      ids.add(header('x-request-id'))
    }
    expect(ids.size).to.equal(answers.length)
    expect([...ids].every((id) => gateway.lines.join('').includes(`"request":"${id}"`))).to.equal(true)
  })

  it('logs no path that it does not know', async () => {
    const before = gateway.lines.length
    await gateway.get('/send/PATHSECRET')
    await gateway.get('/probe/PATHSECRET/x')
    await gateway.call('DELETE', '/probe/query')
    const lines = gateway.lines.slice(before).filter((line) => line.includes('"msg":"request"'))
    expect(lines.map((line) => (JSON.parse(line) as { path: string }).path)).to.deep.equal([
      '(unknown)',
      '(unknown)',
      '(unknown)',
    ])
    expect(gateway.lines.join('')).not.to.include('PATHSECRET')
  })

  it('logs no token of header or query and no body', async () => {
    await gateway.post(
      '/probe?token=QUERYSECRET',
      { Phone: 'BODYSECRET' },
      { ...admin, token: 'HEADERSECRET' },
    )
    const text = gateway.lines.join('')
    for (const secret of ['QUERYSECRET', 'BODYSECRET', 'HEADERSECRET', ADMIN])
      expect(text).not.to.include(secret)
  })
})

describe('admin access', () => {
  it('is refused to everyone while no admin token is set', async () => {
    const gateway = await startedGateway({ plugins: [{ plugin: probe }], adminToken: '' })
    expect(await gateway.post('/probe', { Phone: '1' }, { admintoken: '' })).to.include({
      status: 401,
      error: 'invalid admin token',
    })
    expect(await gateway.post('/probe', { Phone: '1' }, { admintoken: 'x' })).to.include({ status: 401 })
    await gateway.stop()
  })
})
