import { expect } from 'chai'
import { definePlugin, gatewayError, type Plugin, T } from '../../../kernel/plugin.ts'
import { ADMIN, startedGateway, type TestGateway } from '../../support/gateway.ts'

const admin = { admintoken: ADMIN }

describe('hooks around routes', () => {
  const seen: string[] = []
  const watcher = (name: string): Plugin =>
    definePlugin({
      name,
      version: '1.0.0',
      api: '^1.0.0',
      contributes: {
        around: () => async (call, next) => {
          const stage = (): string =>
            `${name} ${call.route.path} ${call.hasToken} ${call.actor} ${call.isHandled} ${call.address} ${call.request.length}`
          seen.push(stage())
          try {
            return await next()
          } finally {
            seen.push(stage())
          }
        },
      },
    })
  const changer = definePlugin({
    name: 'changer',
    version: '1.0.0',
    api: '^1.0.0',
    contributes: {
      around:
        () =>
        async ({ route }, next) => {
          if (route.path === '/probe/closed') throw gatewayError('BUSY', [], { retryAfter: 7 })
          const answer = await next()
          return route.path === '/probe/other' ? { instead: answer } : answer
        },
    },
  })
  const probe = definePlugin({
    name: 'probe',
    version: '1.0.0',
    api: '^1.0.0',
    routes: (r) => [
      r.post('/probe', {
        summary: 'Probe',
        access: 'admin',
        body: T.Object({ Text: T.String({ format: 'text' }) }),
        handle: async () => ({ ok: true }),
      }),
      r.get('/probe/other', { summary: 'Other', access: 'public', handle: async () => ({ ok: true }) }),
      r.get('/probe/closed', { summary: 'Closed', access: 'public', handle: async () => ({ ok: true }) }),
    ],
  })
  const broken = definePlugin({
    name: 'broken',
    version: '1.0.0',
    api: '^1.0.0',
    setup: () => Promise.reject(new Error('no power')),
    contributes: { around: () => () => Promise.reject(new Error('not to be run')) },
  })

  let gateway: TestGateway
  before(async () => {
    const plugins = [
      { plugin: watcher('outer') },
      { plugin: watcher('inner') },
      { plugin: broken, optional: true },
      { plugin: changer },
      { plugin: probe },
    ]
    gateway = await startedGateway({ plugins })
  })
  beforeEach(() => seen.splice(0))
  after(() => gateway.stop())

  const trace = (before: string, after: string): string[] => [
    `outer ${before} 127.0.0.1 36`,
    `inner ${before} 127.0.0.1 36`,
    `inner ${after} 127.0.0.1 36`,
    `outer ${after} 127.0.0.1 36`,
  ]

  it('run in the order of the plugins, before the caller is known and after the answer is', async () => {
    expect(await gateway.post('/probe', { Text: 'x' }, admin)).to.deep.include({ data: { ok: true } })
    expect(seen).to.deep.equal(trace('/probe false  false', '/probe true admin true'))
  })

  it('see how far a refused call came', async () => {
    expect(await gateway.post('/probe', { Text: 'x' })).to.include({ status: 401 })
    expect(seen.splice(0)).to.deep.equal(trace('/probe false  false', '/probe false  false'))
    expect(await gateway.post('/probe', { Text: 'x' }, { admintoken: 'wrong' })).to.include({ status: 401 })
    expect(seen.splice(0)).to.deep.equal(trace('/probe false  false', '/probe true  false'))
    expect(await gateway.post('/probe', {}, admin)).to.include({ status: 400 })
    expect(seen.splice(0)).to.deep.equal(trace('/probe false  false', '/probe true admin false'))
  })

  it('may put something in the place of an answer, and refuse with a time to wait', async () => {
    expect((await gateway.get('/probe/other')).data).to.deep.equal({ instead: { ok: true } })
    const refused = await fetch(`${gateway.url}/probe/closed`)
    expect(refused.status).to.equal(503)
    expect(refused.headers.get('retry-after')).to.equal('7')
  })

  it('leave calls of no route alone', async () => {
    expect(await gateway.get('/nowhere')).to.include({ status: 404 })
    expect(seen).to.deep.equal([])
  })
})
