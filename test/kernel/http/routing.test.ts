import { expect } from 'chai'
import type { Route } from '../../../kernel/plugin.ts'
import { startWorld, type World } from '../../support/world.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

describe('the routes of all plugins', () => {
  let world: World
  let routes: readonly Pick<Route, 'method' | 'path'>[]
  before(async () => {
    world = await startWorld({ profile: 'all' })
    routes = world.gateway.describe().plugins.flatMap((plugin) => plugin.routes)
  })
  after(() => world.stop())

  const call = async (method: string, path: string) => {
    const response = await fetch(world.gateway.url + path, { method })
    const text = await response.text()
    const answer = text ? (JSON.parse(text) as Record<string, unknown>) : {}
    return { ...answer, status: response.status, allow: response.headers.get('allow')?.split(', ').sort() }
  }
  const methodsOf = (path: string) =>
    routes.filter((route) => route.path === path).map(({ method }) => String(method))

  it('answer 405 with Allow to every other method of a fixed path, beside any pattern', async () => {
    const paths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes(':')))
    expect(paths.size).to.be.greaterThan(250)
    for (const path of paths) {
      const known = methodsOf(path)
      const allow = [...known, ...(known.includes('GET') ? ['HEAD'] : [])].sort()
      for (const method of METHODS.filter((one) => !known.includes(one))) {
        expect(await call(method, path), `${method} ${path}`).to.deep.include({
          status: 405,
          errorCode: 'METHOD_UNKNOWN',
          allow,
        })
      }
      expect(await call('OPTIONS', path), path).to.deep.equal({ status: 200, allow })
    }
  })

  it('answer 405 with Allow to another method of a path with parameters', async () => {
    expect(await call('DELETE', '/chats/123@g.us/messages')).to.deep.include({
      status: 405,
      allow: ['GET', 'HEAD'],
    })
  })

  it('leave no request to a pattern with a parameter where another route has a fixed part', async () => {
    expect(await call('POST', '/session/settings/update')).to.deep.include({
      status: 405,
      allow: ['GET', 'HEAD', 'PUT'],
    })
  })

  it('answer a HEAD as the GET, without its body', async () => {
    const { status } = await fetch(`${world.gateway.url}/server/ok`, { method: 'HEAD' })
    expect(status).to.equal(200)
    expect((await fetch(`${world.gateway.url}/webhook`, { method: 'HEAD' })).status).to.equal(401)
  })

  for (const [method, path, nearest] of [
    ['POST', '/send/txt', 'POST /send/text'],
    ['POST', '/SEND/TEXTT', 'POST /send/text'],
    ['POST', '/sendtext', 'POST /send/text'],
    ['GET', '/user/contact', 'GET /user/contacts'],
    ['PUT', '/sesion/settings/calls', 'PUT /session/settings/:plugin'],
    ['GET', '/chats/123@g.us/mesages', 'GET /chats/:jid/messages'],
  ] as const)
    it(`name the nearest one of ${method} ${path}`, async () => {
      expect(await call(method, path)).to.deep.include({
        status: 404,
        errorCode: 'ROUTE_UNKNOWN',
        error: 'Not found',
        details: `unknown route; the nearest is ${nearest}`,
      })
    })

  it('name none for a path that resembles none', async () => {
    expect(await call('GET', '/nowhere/at/all')).to.include({ status: 404, details: 'unknown route' })
    expect(await call('GET', `/${'x'.repeat(5_000)}`)).to.include({ status: 404, details: 'unknown route' })
  })
})
