import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import { eventually } from '../../support/eventually.ts'
import { refuses, shows } from '../../support/run/proof.ts'
import { admin, startWorld, type World } from '../../support/world.ts'

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe/boom', {
      summary: 'Fails with an unexpected error',
      access: 'admin',
      audit: 'probe.boom',
      handle: async () => Promise.reject(new Error('no')),
    }),
  ],
})

describe('the audit log of a gateway', () => {
  let world: World
  before(async () => {
    world = await startWorld({ extra: [probe] })
  })
  after(() => world.stop())

  const read = async (query = '') => (await world.gateway.get(`/server/audit${query}`, admin)).data
  const last = async (action: string) =>
    (await read('?limit=1000')).Rows.filter((row: { Action: string }) => row.Action === action).at(-1)

  shows(
    'GET /server/audit',
    'records who created, configured, logged out and deleted a session, with address and request id',
    async () => {
      const session = await world.linked(await world.phone('Ana'))
      const made = await last('session.init')
      const id = made.Target
      expect(made).to.include({ Seq: 1, Actor: 'admin', Address: '127.0.0.1', Result: 'ok' })
      await session.post('/webhook', { WebhookURL: 'http://127.0.0.1:9/hook' })
      expect(await last('webhook.set')).to.include({ Actor: id, Target: id, Result: 'ok' })
      const { data } = await session.post('/webhook/secret')
      expect(await last('webhook.secret')).to.include({ Actor: id, Target: id, Result: 'ok' })
      await session.post('/session/logout')
      expect(await last('session.logout')).to.include({ Actor: id, Result: 'ok' })
      const gone = await fetch(`${world.gateway.url}/session/delete`, {
        method: 'POST',
        headers: { ...admin, token: session.token },
      })
      expect(await last('session.delete')).to.include({
        Actor: 'admin',
        Target: id,
        Request: gone.headers.get('x-request-id'),
      })
      const { Rows, Chain } = await read()
      expect(Chain).to.deep.equal({ Whole: true, Rows: Rows.length, Hash: Rows.at(-1).Hash })
      const { Rows: rest } = await read(`?after=${Rows.length - 2}&limit=1`)
      expect(rest).to.deep.equal([Rows.at(-2)])
      const newest = (await read('?order=newest&limit=2')).Rows
      expect(newest).to.deep.equal(Rows.slice(-2).reverse())
      const before = await read(`?order=newest&limit=1000&before=${newest[1].Seq}`)
      expect(before.Rows).to.deep.equal(Rows.slice(0, -2).reverse())
      // Any zone; the end is exclusive.
      const [since, until] = [made.Time, newest[0].Time.replace('Z', '+00:00')].map(encodeURIComponent)
      const span = await read(`?since=${since}&until=${until}`)
      expect(span.Rows).to.deep.equal(Rows.filter(({ Time }: { Time: string }) => Time < newest[0].Time))
      expect(span.Chain).to.deep.equal(Chain)
      expect(JSON.stringify(Rows)).not.to.include(session.token).and.not.include(data.Secret)
    },
  )

  it('records failed calls with their error code', async () => {
    await world.gateway.post('/session/delete', {}, { ...admin, token: 'nobody' })
    expect(await last('session.delete')).to.include({ Result: 'SESSION_UNKNOWN', Target: '' })
    await world.gateway.post('/probe/boom', {}, admin)
    expect(await last('probe.boom')).to.include({ Result: 'INTERNAL' })
  })

  it('records one row for repeated reads of a list, and one for a burst of wrong tokens', async () => {
    const count = async (action: string) =>
      (await read('?limit=1000')).Rows.filter((row: { Action: string }) => row.Action === action).length
    for (let index = 0; index < 3; index += 1) await world.gateway.get('/session/all', admin)
    expect(await count('session.list')).to.equal(1)
    for (let index = 0; index < 8; index += 1)
      await world.gateway.get('/session/all', { admintoken: `wrong-${index}` })
    // Noted beside the answer, so that who guesses doesn't make the gateway wait for its disk.
    expect(await eventually(() => last('auth.burst'), 'a row for the burst')).to.include({
      Address: '127.0.0.1',
      Result: 'ADMIN_INVALID',
    })
    expect(await count('auth.burst')).to.equal(1)
  })

  refuses('GET /server/audit', 'callers other than the admin, and an invalid cursor', async () => {
    expect(await world.gateway.get('/server/audit')).to.include({ status: 401 })
    expect(await world.gateway.get('/server/audit?after=x', admin)).to.include({
      status: 400,
      error: 'Invalid after: must match pattern "^\\d{1,15}$"',
    })
    expect(await world.gateway.get('/server/audit?since=yesterday', admin)).to.include({ status: 400 })
  })
})
