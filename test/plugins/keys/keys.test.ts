import { expect } from 'chai'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { engines } from '../../support/databases.ts'
import { openEventStream } from '../../support/events/event-stream.ts'
import { eventually } from '../../support/eventually.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'
import { keysProbe } from './probe.ts'

for (const engine of engines) {
  describe(`keys on ${engine.name}`, () => {
    let world: World
    let session: LinkedSession
    let ana: Phone

    before(async () => {
      ;({ world, session, ana } = await openShop({ extra: [keysProbe] }, engine))
    })
    after(() => world.stop())

    const create = async (body: object, headers: Record<string, string> = session.headers) => {
      const { data, error } = await world.gateway.post('/keys', { Name: 'test', ...body }, headers)
      expect(error).to.equal(undefined)
      return data as { Key: string; Id: string; Hint: string; Sessions: string[]; Chats: string[] }
    }
    const status = async (path: string, headers: Record<string, string>) =>
      (await world.gateway.get(path, headers)).status
    const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

    it('shows a key once, stores its hash, and takes it wherever a token is taken', async () => {
      const { Key, Id, Hint } = await create({ Scopes: ['read', 'send'] })
      expect(Key).to.match(/^wmx_[0-9a-f]{48}$/)
      expect(Hint).to.equal(`${Key.slice(0, 8)}…`)
      const { db } = world.gateway.service('keysProbe')
      expect(JSON.stringify(await db.read('keys_keys'))).not.to.include(Key)
      const { data } = await session.get('/keys')
      expect(data.Keys[0]).to.include({ Id, Name: 'test', LastUse: '', ExpiresAt: '' })
      expect(JSON.stringify(data)).not.to.include(Key)

      const Phone = ana.account.phone
      for (const headers of [{ token: Key }, bearer(Key), { authorization: `bearer  ${Key}` }]) {
        const sent = await world.gateway.post('/send/text', { Phone, Body: 'by key' }, headers)
        expect(sent.status).to.equal(200)
        await ana.wait(({ id }) => id === sent.data.Id)
      }
      expect(await status(`/session/history?token=${Key}`, {})).to.equal(200)
      expect((await session.get('/keys')).data.Keys[0].LastUse).not.to.equal('')
      const lines = world.gateway.lines.join('\n')
      expect(lines).to.include(`"caller":"key:${Id}"`)
      expect(lines).not.to.include(Key)
    })

    it('takes the session token and the admin token as bearer tokens too', async () => {
      expect(await status('/session/history', bearer(session.token))).to.equal(200)
      expect(await status('/session/all', bearer(admin.admintoken))).to.equal(200)
      expect(await status('/session/all', bearer(session.token))).to.equal(401)
      expect(await status('/session/history', bearer(admin.admintoken))).to.equal(401)
      expect(await status('/session/history', { authorization: `Basic ${session.token}` })).to.equal(401)
      // The header of the interface goes first.
      expect(await status('/session/history', { token: 'wrong', ...bearer(session.token) })).to.equal(401)
    })

    it('names the missing scope, and no key makes keys or tokens', async () => {
      const { Key } = await create({ Scopes: ['read', 'send', 'manage'] })
      const only = await create({ Scopes: ['read'] })
      const refused = await world.gateway.post('/send/text', { Phone: '1', Body: 'x' }, { token: only.Key })
      expect(refused).to.include({
        status: 403,
        error: 'These credentials do not have the scope "send", which POST /send/text requires',
      })
      for (const path of ['/keys', '/session/token'])
        expect(await world.gateway.post(path, {}, { token: Key })).to.include({
          status: 403,
          error: `These credentials do not have the scope "owner", which POST ${path} requires`,
        })
    })

    it('refuses a revoked, replaced or expired key at once, on open streams too', async () => {
      const { Key, Id } = await create({ Scopes: ['read'] })
      const stream = openEventStream(`${world.gateway.url}/events/stream`, bearer(Key))
      await stream.until((text) => text.includes('retry'))
      const rotate = (body: object) => world.gateway.post(`/keys/${Id}/rotate`, body, session.headers)
      const second = (await rotate({ GraceSeconds: 60 })).data.Key as string
      expect(await status('/events', { token: Key })).to.equal(200)
      expect(await status('/events', { token: second })).to.equal(200)
      const third = (await rotate({})).data.Key as string
      expect(await status('/events', { token: Key })).to.equal(401)
      expect(await status('/events', { token: second })).to.equal(401)
      await stream.ended
      expect(await stream.until(() => true)).to.include('"code":401')

      expect(await status('/events', { token: third })).to.equal(200)
      const removed = await world.gateway.call('DELETE', `/keys/${Id}`, { headers: session.headers })
      expect(removed.data).to.include({ Id })
      expect(await status('/events', { token: third })).to.equal(401)
      expect((await rotate({})).status).to.equal(404)
    })

    it('notices within seconds what another process changed', async () => {
      const { db } = world.gateway.service('keysProbe')
      const keys = await Promise.all([create({ Scopes: ['read'] }), create({ Scopes: ['read'] })])
      const [expired, revoked] = keys
      const streams = keys.map(({ Key }) =>
        openEventStream(`${world.gateway.url}/events/stream`, { token: Key }),
      )
      for (const stream of streams) await stream.until((text) => text.includes('retry'))
      const change = { expires_at: Date.now() - 1, changed_at: Date.now() + 1 }
      await db.transact((trx) => trx('keys_keys').where({ id: expired?.Id }).update(change))
      await db.transact((trx) => trx('keys_keys').where({ id: revoked?.Id }).del())
      for (const { Key } of keys)
        await eventually(async () => (await status('/events', { token: Key })) === 401, 'refused')
      for (const stream of streams) await stream.ended
    })

    it('lets X-Session choose among several sessions', async () => {
      const init = (Name: string, Labels = {}) => world.gateway.post('/session/init', { Name, Labels }, admin)
      const [one, two, twin, third] = (
        await Promise.all([
          init('one', { of: 'acme' }),
          init('two'),
          init('twin'),
          init('twin', { of: 'acme' }),
        ])
      ).map(({ data }) => data.Id as string)
      const all = await create({ AllSessions: true, Scopes: ['read'] }, admin)
      const listed = await create({ Sessions: ['one', two], Scopes: ['read'] }, admin)
      const labelled = await create({ Label: 'of:acme', Scopes: ['read'] }, admin)
      expect(listed.Sessions).to.have.members([one, two])
      const history = async (key: { Key: string }, name?: string) => {
        const headers = { token: key.Key, ...(name ? { 'X-Session': name } : {}) }
        const { status, error } = await world.gateway.get('/session/history', headers)
        return error ?? status
      }
      expect(await history(all)).to.include('name one in the header X-Session')
      expect(await history(all, 'one')).to.equal(200)
      expect(await history(all, two)).to.equal(200)
      expect(await history(all, 'twin')).to.include('Several sessions')
      expect(await history(all, third)).to.equal(200)
      expect(await history(listed, 'one')).to.equal(200)
      for (const other of [twin, 'Shop', 'unknown'])
        expect(await history(listed, other)).to.include('not for')
      expect(await history(labelled, 'twin')).to.equal(200)
      expect(await history(labelled, 'two')).to.include('not for')
      const own = await create({ Scopes: ['read'] })
      expect(await history(own, 'one')).to.include('not for')
      expect(await history(own, 'Shop')).to.equal(200)

      // A key for one session ends with it.
      const single = await create({ Sessions: ['one'], Scopes: ['read'] }, admin)
      const { data } = await world.gateway.get('/session/all', admin)
      const token = data.find(({ Id }: { Id: string }) => Id === one).Token
      await world.gateway.post('/session/delete', {}, { ...admin, token })
      expect(await history(single)).to.equal('invalid token')
    })

    it('keeps the keys of the admin and of each session apart', async () => {
      const operator = await create({ AllSessions: true, Scopes: ['admin'] }, admin)
      expect(await status('/session/all', bearer(operator.Key))).to.equal(200)
      expect(await status('/session/all', { admintoken: operator.Key })).to.equal(200)
      const limited = await create({ AllSessions: true, Scopes: ['manage'] }, admin)
      const refused = await world.gateway.get('/session/all', bearer(limited.Key))
      expect(refused).to.include({ status: 403 })
      const own = (await session.get('/keys')).data.Keys as { Owner: string }[]
      expect(new Set(own.map(({ Owner }) => Owner)).size).to.equal(1)
      const removal = { headers: session.headers }
      expect((await world.gateway.call('DELETE', `/keys/${operator.Id}`, removal)).status).to.equal(404)
      for (const body of [{ Sessions: ['Shop'] }, { AllSessions: true }, { Label: 'a:b' }]) {
        const given = { Name: 'x', Scopes: ['read'], ...body }
        expect(await session.post('/keys', given)).to.include({ status: 400 })
      }
      for (const body of [{}, { Sessions: ['none'] }, { Sessions: ['Shop'], Label: 'a:b' }]) {
        const given = { Name: 'x', Scopes: ['read'], ...body }
        expect(await world.gateway.post('/keys', given, admin)).to.include({ status: 400 })
      }
      expect(await session.post('/keys', { Name: 'x', Scopes: ['admin'] })).to.include({ status: 400 })
      expect(await session.post('/keys', { Name: 'x', Scopes: ['all'] })).to.include({ status: 400 })
    })

    it('replaces a session token while messages flow, and loses none', async () => {
      const old = session.token
      const shop = await world.linked(await world.phone('Flow'))
      const { Id: id } = (await world.gateway.get('/session/all', admin)).data.find(
        ({ Token }: { Token: string }) => Token === shop.token,
      )
      const stream = openEventStream(`${world.gateway.url}/events/stream`, { token: shop.token })
      await stream.until((text) => text.includes('retry'))
      const key = await create({ Scopes: ['read'] }, shop.headers)
      let token = shop.token
      const received: Promise<string>[] = []
      const sent: string[] = []
      for (let at = 0; at < 30; at += 1) {
        received.push(ana.send(shop.phone.account.phone, { Text: `in ${at}` }))
        const [send, rotated] = await Promise.all([
          world.gateway.post('/send/text', { Phone: ana.account.phone, Body: `out ${at}` }, { token }),
          at === 10
            ? world.gateway.post('/session/token', {}, { token })
            : at === 20
              ? world.gateway.post(`/session/${id}/token`, { RevokeKeys: true }, admin)
              : undefined,
        ])
        expect(send.status).to.equal(200)
        sent.push(send.data.Id)
        if (!rotated) continue
        expect(rotated.data).to.include({ Id: id, OldTokenUntil: '', RevokedKeys: at === 20 ? 1 : 0 })
        expect(await status('/session/history', { token })).to.equal(401)
        token = rotated.data.Token
      }
      await stream.ended
      const ids = await Promise.all(received)
      await eventually(async () => {
        const { data } = await world.gateway.get('/events?class=Message&limit=500', { token })
        const seen = data.Events.map(({ event }: { event: { Info: { ID: string } } }) => event.Info.ID)
        return [...ids, ...sent].every((one) => seen.includes(one))
      }, 'all messages are logged')
      for (const one of sent) await ana.wait(({ id }) => id === one)
      expect(await status('/session/history', { token: key.Key })).to.equal(401)
      expect(await status('/session/history', { token: old })).to.equal(200)
    })

    it('records creating, replacing and revoking in the audit log', async () => {
      const { data } = await world.gateway.get('/server/audit?limit=1000', admin)
      const actions = data.Rows.map(({ Action }: { Action: string }) => Action)
      expect(actions).to.include.members(['key.create', 'key.rotate', 'key.revoke', 'session.token'])
      expect(data.Chain.Whole).to.equal(true)
    })
  })
}
