import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import audit from '../../../plugins/audit/index.ts'
import { createWrongTokens } from '../../../plugins/audit/wrong-tokens.ts'
import { eventually } from '../../support/eventually.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe/admin', { summary: 'Admin', access: 'admin', handle: async () => ({}) }),
    r.post('/probe/token', { summary: 'Token', access: 'token', handle: async () => ({}) }),
  ],
})

describe('wrong tokens', () => {
  let gateway: TestGateway
  const start = async (trustProxy: number) => {
    gateway = await startedGateway({ plugins: [{ plugin: probe }, { plugin: audit }], trustProxy })
  }
  afterEach(() => gateway.stop())

  const statuses = async (times: number, headers: (index: number) => Record<string, string>) => {
    const seen: number[] = []
    for (let index = 0; index < times; index += 1)
      seen.push((await gateway.post('/probe/admin', {}, headers(index))).status)
    return seen
  }

  it('are refused with 429 and Retry-After from the sixth admin token on, while a valid one passes', async () => {
    await start(0)
    expect(await statuses(7, (index) => ({ admintoken: `wrong-${index}` }))).to.deep.equal([
      401, 401, 401, 401, 401, 429, 429,
    ])
    const response = await fetch(`${gateway.url}/probe/admin`, {
      method: 'POST',
      headers: { admintoken: 'wrong' },
    })
    expect(response.status).to.equal(429)
    expect(Number(response.headers.get('retry-after'))).to.be.within(1, 60)
    expect(await response.json()).to.include({ code: 429, success: false })
    expect(await gateway.post('/probe/admin', {}, { admintoken: ADMIN })).to.include({ status: 200 })
  })

  it('have a limit of twenty for session tokens, not counting calls without a token', async () => {
    await start(0)
    const tries = Array.from({ length: 21 }, (_, index) => index)
    const seen: number[] = []
    for (const index of tries)
      seen.push((await gateway.post('/probe/token', {}, { token: `wrong-${index}` })).status)
    expect(seen).to.deep.equal(tries.map((index) => (index < 20 ? 401 : 429)))
    expect(await gateway.post('/probe/token')).to.include({ status: 401 })
    expect(await gateway.post('/probe/admin', {}, { admintoken: 'wrong' })).to.include({ status: 401 })
  })

  it('are counted by connection address; X-Forwarded-For is only trusted behind a proxy', async () => {
    await start(0)
    const made = (index: number) => ({ admintoken: 'wrong', 'x-forwarded-for': `203.0.113.${index}` })
    expect((await statuses(6, made)).at(-1)).to.equal(429)
  })

  it('are counted by the address that the trusted proxy saw, whatever the client sent', async () => {
    await start(1)
    const from = (index: number, address: string) => ({
      admintoken: 'wrong',
      'x-forwarded-for': `198.51.100.${index}, ${address}`,
    })
    expect((await statuses(6, (index) => from(index, '203.0.113.1'))).at(-1)).to.equal(429)
    expect(await statuses(1, (index) => from(index, '203.0.113.2'))).to.deep.equal([401])
  })
})

describe('wrong token counter', () => {
  it('resets after its window', async () => {
    const failures = createWrongTokens(50)
    const fail = (): number => failures.count('admin', '203.0.113.1').wait
    expect(Array.from({ length: 6 }, fail)).to.deep.equal([0, 0, 0, 0, 0, 1])
    await eventually(() => fail() === 0, 'a new window')
    expect(fail()).to.equal(0)
  })

  it('counts an IPv6 /64 as one address, and an IPv4 address in either notation', () => {
    const failures = createWrongTokens()
    for (let index = 0; index < 5; index += 1) failures.count('admin', `2001:db8:1:2::${index}`)
    expect(failures.count('admin', '2001:db8:1:2:ffff::1')).to.include({ isFirst: true })
    expect(failures.count('admin', '2001:db8:1:3::1').wait).to.equal(0)
    for (let index = 0; index < 5; index += 1) failures.count('admin', '::ffff:203.0.113.9')
    expect(failures.count('admin', '203.0.113.9').wait).to.be.greaterThan(0)
  })

  it('holds at most ten thousand addresses', () => {
    const failures = createWrongTokens()
    for (let index = 0; index < 6; index += 1) failures.count('admin', '203.0.113.1')
    for (let index = 0; index < 10_000; index += 1)
      failures.count('token', `10.1.${index >> 8}.${index & 255}`)
    expect(failures.count('admin', '203.0.113.1').wait).to.equal(0)
  })
})
