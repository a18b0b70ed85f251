import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

let calls = 0

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe/form', {
      summary: 'Takes a form',
      access: 'public',
      upload: 'multipart/form-data',
      handle: async ({ form }) => ({ fields: [...(await form(64 * 1024 * 1024)).keys()].length }),
    }),
    r.get('/probe/:id', {
      summary: 'Reads parameters and a header',
      access: 'owner',
      ignoresUnknown: true,
      async handle({ params, query, header }) {
        const read = { id: params['id'], after: query.get('after'), own: header('x-own') }
        calls += 1
        return read
      },
    }),
  ],
})

describe('what a request has beside its body', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }] })
  })
  after(() => gateway.stop())

  const admin = { admintoken: ADMIN }
  const long = (length: number): string => 'a'.repeat(length)

  const bounds: readonly [
    what: string,
    length: number,
    ask: (text: string) => [path: string, headers?: object],
  ][] = [
    ['a parameter of the path', 256, (text) => [`/probe/${text}`]],
    ['a field of the query', 4_096, (text) => [`/probe/1?after=${text}`]],
    ['the name of a field of the query', 256, (text) => [`/probe/1?${text}=1`]],
    ['a header that only a plugin reads', 4_096, (text) => ['/probe/1', { 'x-own': text }]],
    ['X-Session', 256, (text) => ['/probe/1', { 'x-session': text }]],
    ['X-Forwarded-For', 1_024, (text) => ['/probe/1', { 'x-forwarded-for': text }]],
    ['a token', 1_024, (text) => ['/probe/1', { token: text }]],
  ]
  for (const [what, length, ask] of bounds)
    it(`is refused where ${what} has more than ${length} characters`, async () => {
      calls = 0
      const [path, headers] = ask(long(length + 1))
      const answer = await gateway.get(path, { ...admin, ...headers })
      expect(answer).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(answer.error).to.match(new RegExp(`: must NOT have more than ${length} characters$`))
      expect(calls).to.equal(0)
      const [other, more] = ask(long(length))
      expect((await gateway.get(other, { ...admin, ...more })).error ?? '').not.to.include('characters')
    })

  it('is refused where the query has more than 100 fields', async () => {
    const query = (count: number): string => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&')
    expect(await gateway.get(`/probe/1?${query(101)}`, admin)).to.include({ status: 400 })
    expect(await gateway.get(`/probe/1?${query(100)}`, admin)).to.include({ status: 200 })
  })

  it('does not count headers that nothing reads, nor cookies of other pages', async () => {
    const headers = { ...admin, 'x-trace': long(6_000), cookie: `a=${long(6_000)}` }
    expect(await gateway.get('/probe/1', headers)).to.include({ status: 200 })
  })

  const part = (head: string, value: string): string =>
    `--x\r\nContent-Disposition: form-data; ${head}\r\n\r\n${value}\r\n`
  const post = async (body: string, type = 'multipart/form-data; boundary=x') => {
    const before = process.cpuUsage()
    const answer = await gateway.call('POST', '/probe/form', { body, headers: { 'content-type': type } })
    const { user, system } = process.cpuUsage(before)
    return { answer, ms: (user + system) / 1000 }
  }
  it('is refused where a form has more than 1,000 fields, before they are read', async () => {
    for (const [body, type] of [
      [`${part('name="a"', '1').repeat(200_000)}--x--\r\n`, undefined],
      ['a=1&'.repeat(1_000_000), 'application/x-www-form-urlencoded'],
    ] as const) {
      const { answer, ms } = await post(body, type)
      expect(answer).to.include({ status: 400, errorCode: 'BODY_UNREADABLE' })
      expect(answer.error).to.include('more than 1000 fields')
      expect(ms, 'milliseconds of CPU').to.be.below(500)
    }
    const { answer } = await post(`${part('name="a"', '1').repeat(1_000)}--x--\r\n`)
    expect(answer.data).to.deep.equal({ fields: 1_000 })
  })

  it('is refused where a text, or a name, of a form is too long', async () => {
    const refused = [
      [part('name="a"', long(65_537)), 'Invalid a: must NOT have more than 65536 characters'],
      [part(`name="${long(257)}"`, '1'), 'must NOT have more than 256 characters'],
      [part(`name="a"; filename="${long(1_025)}"`, '1'), 'Invalid a: its name must NOT have more than 1024'],
    ] as const
    for (const [text, error] of refused) {
      const { answer } = await post(`${text}--x--\r\n`)
      expect(answer).to.include({ status: 400, errorCode: 'FIELD_INVALID' })
      expect(answer.error).to.include(error)
    }
    const file = `${part('name="a"; filename="b"', long(1_000_000))}--x--\r\n`
    expect((await post(file)).answer.data).to.deep.equal({ fields: 1 })
  })
})
