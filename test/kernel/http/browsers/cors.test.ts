import { expect } from 'chai'
import { definePlugin, T } from '../../../../kernel/plugin.ts'
import { startedGateway, type TestGateway } from '../../../support/gateway.ts'

const HERE = 'https://app.example.com'
const OTHER = 'https://evil.example.com'
const LOCAL = 'http://localhost:5173'

const probe = definePlugin({
  name: 'probe',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.post('/probe', {
      summary: 'Answers its body',
      access: 'public',
      ignoresUnknown: true,
      body: T.Object({ A: T.Optional(T.String({ format: 'line' })) }),
      handle: async ({ body }) => body,
    }),
    r.get('/probe/token', { summary: 'Needs a session', access: 'token', handle: async () => ({}) }),
  ],
})

describe('calls of browsers from other origins', () => {
  const started: TestGateway[] = []
  const start = async (corsOrigins?: readonly string[]): Promise<string> => {
    const gateway = await startedGateway({
      plugins: [{ plugin: probe }],
      ...(corsOrigins ? { corsOrigins } : {}),
    })
    started.push(gateway)
    return gateway.url
  }
  after(() => Promise.all(started.map((gateway) => gateway.stop())))

  const preflight = (url: string, origin: string) =>
    fetch(`${url}/probe`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,token',
      },
    })
  const allowed = ({ headers }: Response): string | null => headers.get('access-control-allow-origin')

  it('are not let in by default', async () => {
    const url = await start()
    const asked = await preflight(url, HERE)
    expect(allowed(asked)).to.equal(null)
    const called = await fetch(`${url}/probe`, { method: 'POST', body: '{}', headers: { origin: HERE } })
    expect([called.status, allowed(called)]).to.deep.equal([200, null])
  })

  it('are let in from the origins that are listed, and from no other', async () => {
    const url = await start([HERE, LOCAL])
    for (const origin of [HERE, LOCAL]) {
      const asked = await preflight(url, origin)
      expect([asked.status, allowed(asked)]).to.deep.equal([204, origin])
      expect(asked.headers.get('access-control-allow-methods')).to.include('POST').and.include('DELETE')
      const names = asked.headers.get('access-control-allow-headers')?.toLowerCase().split(',')
      expect(names).to.have.members([
        'token',
        'admintoken',
        'authorization',
        'x-session',
        'content-type',
        'idempotency-key',
        'prefer',
      ])
      expect(asked.headers.get('access-control-allow-credentials')).to.equal(null)
      expect(Number(asked.headers.get('access-control-max-age'))).to.be.greaterThan(0)
      expect(asked.headers.get('vary')).to.match(/origin/i)
    }
    for (const origin of [OTHER, 'null', 'https://app.example.com.evil.com', 'https://APP.example.com']) {
      expect(allowed(await preflight(url, origin)), origin).to.equal(null)
      const called = await fetch(`${url}/probe`, { method: 'POST', body: '{}', headers: { origin } })
      expect(allowed(called), origin).to.equal(null)
      expect(called.headers.get('vary'), origin).to.match(/origin/i)
    }
  })

  it('read answers and errors with their headers', async () => {
    const url = await start([HERE])
    const calls = [
      [await fetch(`${url}/probe`, { method: 'POST', body: '{"B":1}', headers: { origin: HERE } }), 200],
      [await fetch(`${url}/probe/token`, { headers: { origin: HERE, token: 'wrong' } }), 401],
      [await fetch(`${url}/none`, { headers: { origin: HERE } }), 404],
    ] as const
    for (const [response, status] of calls) {
      expect([response.status, allowed(response)]).to.deep.equal([status, HERE])
      const exposed = response.headers.get('access-control-expose-headers')?.toLowerCase().split(',')
      expect(exposed).to.have.members([
        'link',
        'x-request-id',
        'idempotent-replay',
        'x-ignored-fields',
        'retry-after',
      ])
      expect(response.headers.get('access-control-allow-credentials')).to.equal(null)
    }
  })

  it('are let in from everywhere by a star', async () => {
    const url = await start(['*'])
    const asked = await preflight(url, OTHER)
    expect([asked.status, allowed(asked)]).to.deep.equal([204, '*'])
  })
})
