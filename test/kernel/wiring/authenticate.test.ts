import { expect } from 'chai'
import { definePlugin, gatewayError, type Scope, T } from '../../../kernel/plugin.ts'
import { startedGateway, type TestGateway } from '../../support/gateway.ts'

describe('credentials of plugins', () => {
  let session = ''
  const badges = definePlugin({
    name: 'badges',
    version: '1.0.0',
    api: '^1.0.0',
    scope: 'send',
    async setup({ sessions }) {
      session = (await sessions.create({ name: 'badged' })).id
    },
    contributes: {
      authenticate:
        ({ log }) =>
        async ({ header }, { path }) => {
          const scope = header('x-badge')
          if (!scope) return undefined
          log.debug({ path }, 'badge')
          return {
            id: `badge:${scope}`,
            session,
            scopes: [scope as Scope],
            async permit({ body, session: own }) {
              if ((body as { Text?: string } | undefined)?.Text === 'no') throw gatewayError('BUSY')
              expect(own?.name).to.equal('badged')
            },
          }
        },
    },
    routes: (r) => [
      r.get('/badge', {
        summary: 'Reads',
        access: 'token',
        handle: async ({ session, caller }) => ({ name: session.name, caller: caller?.id }),
      }),
      r.post('/badge', {
        summary: 'Sends',
        access: 'token',
        body: T.Object({ Text: T.String({ format: 'text' }) }),
        handle: async ({ body }) => body,
      }),
      r.delete('/badge', { summary: 'Manages', access: 'token', scope: 'manage', handle: async () => ({}) }),
      r.put('/badge', { summary: 'Owns', access: 'owner', handle: async () => ({}) }),
    ],
  })

  let gateway: TestGateway
  before(async () => {
    gateway = await startedGateway({ plugins: [{ plugin: badges }] })
  })
  after(() => gateway.stop())

  const call = async (method: string, badge: string, body?: object) => {
    const headers = badge ? { 'x-badge': badge } : undefined
    const answer = await gateway.call(method, '/badge', {
      ...(headers && { headers }),
      ...(body && { body }),
    })
    return [answer.status, answer.data ?? answer.error]
  }
  const missing = (scope: string, method: string) => [
    403,
    `These credentials do not have the scope "${scope}", which ${method} /badge requires`,
  ]

  it('are asked for a caller, which needs the scope of the route', async () => {
    expect(await call('GET', '')).to.deep.equal([401, 'invalid token'])
    expect(await call('GET', 'read')).to.deep.equal([200, { name: 'badged', caller: 'badge:read' }])
    expect(await call('GET', 'send')).to.deep.equal(missing('read', 'GET'))
    expect(await call('POST', 'send', { Text: 'yes' })).to.deep.equal([200, { Text: 'yes' }])
    expect(await call('DELETE', 'manage')).to.deep.equal([200, {}])
    expect(await call('POST', 'manage', { Text: 'yes' })).to.deep.equal(missing('send', 'POST'))
    expect(gateway.lines.at(-1)).to.include('"caller":"badge:manage"')
    expect(await call('PUT', 'manage')).to.deep.equal(missing('owner', 'PUT'))
  })

  it('may refuse a request by its checked body', async () => {
    expect((await call('POST', 'send', { text: 'no' }))[0]).to.equal(503)
    expect(gateway.lines.some((line) => line.includes('"caller":"badge:send"'))).to.equal(true)
  })
})
