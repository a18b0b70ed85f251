import { expect } from 'chai'
import { startReceiver } from '../../support/servers/receiver.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'

/** Nothing that a key makes has more rights than the key, or a longer life. */
describe('the rights of a key', () => {
  let world: World
  let session: LinkedSession
  let id: string
  before(async () => {
    ;({ world, session } = await openShop({ allowPrivateHosts: ['127.0.0.1'] }))
    id = (await session.get('/session/summary')).data.Sessions[0].Id
  })
  after(() => world.stop())

  const newKey = async (body: object) => {
    const { data } = await world.gateway.post('/keys', { Name: 'operator', ...body }, admin)
    return { key: String(data.Key), id: String(data.Id), headers: { authorization: `Bearer ${data.Key}` } }
  }
  const operator = () => newKey({ Scopes: ['read', 'send', 'manage', 'admin'], AllSessions: true })

  it('replace no token of a session, whatever their scopes are', async () => {
    const { headers } = await operator()
    const refused = await world.gateway.post(`/session/${id}/token`, {}, headers)
    expect(refused).to.include({ status: 403, errorCode: 'SCOPE_MISSING' })
    expect((await session.get('/session/status')).status).to.equal(200)
  })

  it('show no token, of the sessions that they make either', async () => {
    const { headers } = await operator()
    const made = await world.gateway.post('/session/init', { Name: 'by a key' }, headers)
    expect(made).to.deep.include({ status: 200 })
    expect(made.data).to.include({ Name: 'by a key', Token: '' })
    const mine = await world.gateway.post('/session/init', { Token: 'chosen-by-the-key-holder' }, headers)
    expect(mine).to.include({ status: 403, errorCode: 'TOKEN_HIDDEN' })
    for (const answer of [
      await world.gateway.get('/session/all', headers),
      await world.gateway.post('/session/scanned', {}, headers),
    ]) {
      expect(answer.data.length).to.be.greaterThan(0)
      for (const row of answer.data) expect(row.Token).to.equal('')
    }
    expect((await world.gateway.get('/session/all', admin)).data[0].Token).to.have.length.greaterThan(15)
    const deleted = await world.gateway.post('/session/delete', { Id: made.data.Id }, headers)
    expect(deleted.data).to.include({ Id: made.data.Id, Name: 'by a key' })
    const unknown = await world.gateway.post('/session/delete', { Id: made.data.Id }, headers)
    expect(unknown).to.include({ status: 404 })
  })

  it('get no token by a webhook', async () => {
    const receiver = await startReceiver()
    const { headers } = await operator()
    const own = { ...headers, 'x-session': id }
    const set = (path: string, body: object, by: Record<string, string> = own) =>
      world.gateway.post(path, { Format: 'form', ...body }, by)
    const test = (path: string, body: object) => world.gateway.post(path, body, own)
    const last = () => receiver.deliveries.at(-1)?.body ?? ''
    expect((await set('/webhook', { WebhookURL: receiver.url })).status).to.equal(200)
    await test('/webhook/test', {})
    expect(new URLSearchParams(last()).get('jsonData')).to.include('Test event')
    expect(last()).not.to.include(session.token)
    const { data } = await set('/webhook/endpoints', { URL: receiver.url })
    await test('/webhook/test', { Endpoint: data.Id })
    expect(last()).not.to.include(session.token)
    const all = { URL: receiver.url, IncludeToken: true }
    expect(await set('/webhook/global', all, headers)).to.include({ status: 403, errorCode: 'TOKEN_HIDDEN' })
    const global = (await set('/webhook/global', all, admin)).data
    await set('/webhook/global', { Id: global.Id, URL: `${receiver.url}/other` }, headers)
    await world.gateway.post('/webhook/global/test', { Id: global.Id }, headers)
    expect(receiver.deliveries.at(-1)?.path).to.include('/other')
    expect(last()).not.to.include(session.token)
    // What the session's own token sets is as it was.
    await set('/webhook', { WebhookURL: receiver.url }, session.headers)
    await test('/webhook/test', {})
    expect(last()).to.include(session.token)
    const init = await world.gateway.post('/session/init', { Webhook: receiver.url }, headers)
    expect(init).to.include({ status: 403, errorCode: 'TOKEN_HIDDEN' })
    await receiver.close()
  })

  it('end with the key, those of its links too', async () => {
    const fresh = await world.gateway.post('/session/init', { Name: 'to be linked' }, admin)
    const other = await operator()
    for (const [path, headers] of [
      ['/session/link-page', { ...other.headers, 'x-session': fresh.data.Id }],
      [`/session/${fresh.data.Id}/link-page`, other.headers],
    ] as const) {
      const { key, id: keyId, headers: own } = await operator()
      const by = { ...headers, authorization: own.authorization }
      const { data } = await world.gateway.post(path, {}, by)
      const { pathname } = new URL(data.Url)
      const open = async () => (await fetch(world.gateway.url + pathname)).text()
      expect(await open()).not.to.include('no longer valid')
      expect((await world.gateway.call('DELETE', `/keys/${keyId}`, { headers: admin })).status).to.equal(200)
      expect(key).to.include('wmx_')
      const retried = await world.gateway.post(`${pathname}/retry`, {})
      expect(retried.status).to.be.oneOf([403, 404, 410])
      const answer = await fetch(world.gateway.url + pathname)
      expect(answer.status, path).to.equal(410)
    }
  })

  it('are asked for by what shows several sessions, too', async () => {
    for (const Scopes of [['send'], ['manage']]) {
      const { headers } = await newKey({ Scopes, AllSessions: true })
      for (const path of ['/session/summary', '/session/summary/stream', '/dashboard/login'])
        expect(await world.gateway.get(path, headers), path).to.include({
          status: 403,
          errorCode: 'SCOPE_MISSING',
        })
    }
    const reader = await newKey({ Scopes: ['read'], Sessions: [id] })
    const { data } = await world.gateway.get('/session/summary', reader.headers)
    expect(data.Sessions.map(({ Id }: { Id: string }) => Id)).to.deep.equal([id])
  })
})
