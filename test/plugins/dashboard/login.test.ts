import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { asFunction, definePlugin, type PluginDb } from '../../../kernel/plugin.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

declare module 'wamux/plugin' {
  interface GatewayServices {
    loginRows: PluginDb
  }
}

const rows = definePlugin({
  name: 'login-rows',
  version: '1.0.0',
  api: '^1.0.0',
  provides: ['loginRows'],
  services: () => ({ loginRows: asFunction(({ db }: { db: PluginDb }) => db).singleton() }),
})

const PAGE = { 'x-wamux-dashboard': '1' }

describe('a login of the dashboard', () => {
  let world: World

  before(async () => {
    world = await startWorld({ corsOrigins: ['https://other.example'], extra: [rows] })
  })
  after(() => world.stop())

  const call = async (method: string, path: string, headers: Record<string, string> = {}, body?: object) => {
    const response = await fetch(`${world.gateway.url}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    // biome-ignore lint/suspicious/noExplicitAny: each route has its own
    const { data, errorCode } = (await response.json()) as { data: any; errorCode?: string }
    return { status: response.status, data, errorCode, cookies: response.headers.getSetCookie() }
  }
  async function logIn(token = admin.admintoken, headers: Record<string, string> = {}): Promise<string> {
    const { status, cookies } = await call('POST', '/dashboard/login', {
      ...PAGE,
      ...headers,
      authorization: `Bearer ${token}`,
    })
    expect(status).to.equal(200)
    return cookies[0] ?? ''
  }
  const pair = (cookie: string): string => cookie.split(';')[0] ?? ''

  it('is a cookie that scripts, other sites and plain HTTP do not get', async () => {
    const plain = await logIn()
    expect(plain).to.match(/^wamux_dashboard=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
    expect(await logIn(admin.admintoken, { 'x-forwarded-proto': 'https' })).to.match(/; Secure$/)
  })

  it('needs the header of the page, and a valid token', async () => {
    const authorization = `Bearer ${admin.admintoken}`
    expect(await call('POST', '/dashboard/login', { authorization })).to.include({
      status: 400,
      errorCode: 'DASHBOARD_HEADER',
    })
    const wrong = await call('POST', '/dashboard/login', { ...PAGE, authorization: 'Bearer wrong' })
    expect(wrong).to.include({ status: 401, errorCode: 'TOKEN_INVALID' })
    expect(wrong.cookies).to.deep.equal([])
  })

  it('counts as the token: for GET, and with the header of the page for the rest', async () => {
    const cookie = pair(await logIn())
    expect((await call('GET', '/session/all', { cookie })).status).to.equal(200)
    const body = { Name: 'by cookie' }
    expect(await call('POST', '/session/init', { cookie }, body)).to.include({ errorCode: 'ADMIN_INVALID' })
    const crossing = { cookie, ...PAGE, 'sec-fetch-site': 'same-site' }
    expect(await call('POST', '/session/init', crossing, body)).to.include({ errorCode: 'ADMIN_INVALID' })
    expect(await call('GET', '/session/all', { cookie, 'sec-fetch-site': 'cross-site' })).to.include({
      errorCode: 'ADMIN_INVALID',
    })
    const { data } = await call('GET', '/session/all', { cookie })
    expect(data.map(({ Name }: { Name: string }) => Name)).to.not.include('by cookie')
    expect((await call('POST', '/session/init', { cookie, ...PAGE }, body)).status).to.equal(200)
  })

  it('gives other origins no consent to send the header of the page', async () => {
    const response = await fetch(`${world.gateway.url}/session/init`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://other.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-wamux-dashboard',
      },
    })
    expect(response.headers.get('access-control-allow-headers')).to.not.match(/x-wamux-dashboard/i)
    expect(response.headers.get('access-control-allow-credentials')).to.equal(null)
  })

  it('is never more than its token: scopes and sessions of a key, and its end', async () => {
    const { data: session } = await call('POST', '/session/init', admin, { Name: 'one' })
    await call('POST', '/session/init', admin, { Name: 'two' })
    const { data: key } = await call('POST', '/keys', admin, {
      ...{ Name: 'reader', Scopes: ['read'], Sessions: [session.Id] },
    })
    const cookie = pair(await logIn(key.Key))
    const headers = { cookie, ...PAGE }
    const { data: login } = await call('GET', '/dashboard/login', headers)
    expect(login).to.deep.include({ Kind: 'key', Scopes: ['read'] })
    const { data: seen } = await call('GET', '/session/summary', headers)
    expect(seen.Sessions.map(({ Name }: { Name: string }) => Name)).to.deep.equal(['one'])
    expect((await call('GET', '/session/history', headers)).status).to.equal(200)
    expect(await call('GET', '/session/all', headers)).to.include({ errorCode: 'SCOPE_MISSING' })
    await call('DELETE', `/keys/${key.Id}`, admin)
    expect(await call('GET', '/session/history', headers)).to.include({ errorCode: 'TOKEN_INVALID' })
  })

  it('ends by a logout, with the streams that it opened', async () => {
    const cookie = pair(await logIn())
    const stream = await fetch(`${world.gateway.url}/events/global/stream`, { headers: { cookie } })
    const rest = stream.text()
    const { status, cookies } = await call('DELETE', '/dashboard/login', { cookie, ...PAGE })
    expect(status).to.equal(200)
    expect(cookies[0]).to.match(/^wamux_dashboard=; .*Max-Age=0/)
    expect(await rest).to.match(/TOKEN_INVALID/)
    expect(await call('GET', '/dashboard/login', { cookie })).to.include({ status: 401 })
  })

  it('ends with the twentieth later one of the same credential, and with its streams', async () => {
    const { data: session } = await call('POST', '/session/init', admin, { Name: 'many' })
    const state = async (cookie: string) => (await call('GET', '/dashboard/login', { cookie })).status
    const own = pair(await logIn())
    const first = pair(await logIn(session.Token))
    const stream = await fetch(`${world.gateway.url}/events/stream`, { headers: { cookie: first } })
    const rest = stream.text()
    const later: string[] = []
    for (let count = 0; count < 20; count += 1) later.push(pair(await logIn(session.Token)))
    expect(await rest).to.match(/TOKEN_INVALID/)
    expect(await state(first)).to.equal(401)
    expect(await Promise.all(later.map(state))).to.deep.equal(later.map(() => 200))
    expect(await state(own)).to.equal(200)
  })

  it('ends with the oldest where there are ten thousand of all credentials', async () => {
    const db = world.gateway.service('loginRows')
    const count = async (): Promise<number> =>
      Number((await db.read('dashboard_logins').count({ all: '*' }))[0]?.['all'])
    const cookie = pair(await logIn())
    const [row] = await db.read('dashboard_logins').orderBy('expires_at', 'desc').limit(1)
    const others = Array.from({ length: 10_100 }, (_, at) => ({
      ...row,
      ...{ id: randomBytes(32).toString('hex'), owner: `key:${at}`, expires_at: Date.now() + 60_000 + at },
    }))
    await db.transact((trx) => trx.batchInsert('dashboard_logins', others, 100))
    expect(await count()).to.be.above(10_000)
    const last = pair(await logIn())
    expect(await count()).to.equal(10_000)
    for (const one of [cookie, last])
      expect((await call('GET', '/dashboard/login', { cookie: one })).status).to.equal(200)
    await db.transact((trx) => trx('dashboard_logins').where('owner', 'like', 'key:%').del())
  })

  it('counts with wrong tokens: after 20 of an address, further ones are refused for a while', async () => {
    let last = await call('POST', '/dashboard/login', { ...PAGE, authorization: 'Bearer wrong' })
    for (let tried = 0; tried < 25 && last.status === 401; tried += 1)
      last = await call('POST', '/dashboard/login', { ...PAGE, authorization: `Bearer wrong${tried}` })
    expect(last).to.include({ status: 429, errorCode: 'TOO_MANY_FAILURES' })
    await logIn()
  })

  it('is in the audit log, and so is its end', async () => {
    const { data } = await call('GET', '/server/audit?limit=1000', admin)
    const actions = data.Rows.map(({ Action }: { Action: string }) => Action)
    expect(actions).to.include.members(['dashboard.login', 'dashboard.logout'])
  })

  it('expires', async () => {
    const short = await startWorld({ config: { dashboard: { loginHours: 0.01 } } })
    try {
      const response = await fetch(`${short.gateway.url}/dashboard/login`, {
        method: 'POST',
        headers: { ...PAGE, authorization: `Bearer ${admin.admintoken}` },
      })
      expect(response.headers.getSetCookie()[0]).to.match(/Max-Age=36;/)
    } finally {
      await short.stop()
    }
  })
})

describe('the admin token with X-Session', () => {
  let world: World

  before(async () => {
    world = await startWorld()
  })
  after(() => world.stop())

  it('acts on the session that the header names, by id or name', async () => {
    const { gateway } = world
    const { data: shop } = await gateway.post('/session/init', { Name: 'shop' }, admin)
    await gateway.post('/session/init', { Name: 'twin' }, admin)
    await gateway.post('/session/init', { Name: 'twin' }, admin)
    for (const named of [shop.Id, 'shop']) {
      const as = { ...admin, 'X-Session': String(named) }
      expect((await gateway.get('/session/history', as)).status).to.equal(200)
      const { data } = await gateway.post('/session/update', { Labels: { by: named } }, as)
      expect(data).to.include({ Id: shop.Id })
    }
    const bearer = { authorization: `Bearer ${admin.admintoken}`, 'X-Session': 'shop' }
    expect((await gateway.get('/session/history', bearer)).status).to.equal(200)
    const refused = async (headers: Record<string, string>) =>
      (await gateway.get('/session/history', headers)).errorCode
    expect(await refused({ ...admin, 'X-Session': 'twin' })).to.equal('SESSION_AMBIGUOUS')
    expect(await refused({ ...admin, 'X-Session': 'nobody' })).to.equal('SESSION_UNKNOWN')
    expect(await refused({ admintoken: 'wrong', 'X-Session': 'shop' })).to.equal('TOKEN_INVALID')
    const missing = await gateway.get('/session/history', admin)
    expect(missing.details).to.match(/X-Session/)
  })
})
