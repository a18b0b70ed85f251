import { expect } from 'chai'
import { ADMIN } from '../../support/gateway.ts'
import { startWorld, type World } from '../../support/world.ts'

/** Requests by which a guess of the admin token can be tried. */
const WAYS: readonly [
  what: string,
  method: string,
  path: string,
  headers: (token: string) => Record<string, string>,
][] = [
  ['an admin route', 'GET', '/session/all', (admintoken) => ({ admintoken })],
  [
    'an admin route, as a bearer token',
    'GET',
    '/session/all',
    (token) => ({ authorization: `Bearer ${token}` }),
  ],
  ['a route of the admin and a session', 'GET', '/keys', (admintoken) => ({ admintoken })],
  [
    'a route of the admin and a session, as a bearer token',
    'GET',
    '/keys',
    (token) => ({ authorization: `Bearer ${token}` }),
  ],
  ['a route for any token', 'GET', '/session/summary', (admintoken) => ({ admintoken })],
  [
    'the login of the dashboard',
    'POST',
    '/dashboard/login',
    (token) => ({ authorization: `Bearer ${token}`, 'x-wamux-dashboard': '1' }),
  ],
  [
    'a route of a session, with X-Session',
    'GET',
    '/session/status',
    (admintoken) => ({ admintoken, 'x-session': 'Shop' }),
  ],
  [
    'a route of a session, with X-Session and as a bearer token',
    'GET',
    '/session/status',
    (token) => ({ authorization: `Bearer ${token}`, 'x-session': 'Shop' }),
  ],
]

describe('guesses of the admin token', () => {
  for (const [what, method, path, headers] of WAYS) {
    it(`are refused after five a minute by ${what}`, async () => {
      const world = await startWorld()
      await world.gateway.post('/session/init', { Name: 'Shop' }, { admintoken: ADMIN })
      const guess = async (token: string): Promise<number> =>
        (await fetch(world.gateway.url + path, { method, headers: headers(token) })).status
      const statuses: number[] = []
      for (let at = 0; at < 7; at += 1) statuses.push(await guess(`guess-${at}`))
      expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429])
      expect(await guess(ADMIN), 'the right one').not.to.be.oneOf([401, 429])
      await world.stop()
    })
  }

  it('count together, whatever the route', async () => {
    const world: World = await startWorld()
    const statuses: number[] = []
    for (const [at, [, method, path, headers]] of WAYS.entries()) {
      const { status } = await fetch(world.gateway.url + path, { method, headers: headers(`guess-${at}`) })
      statuses.push(status)
    }
    expect(statuses).to.deep.equal([401, 401, 401, 401, 401, 429, 429, 429])
    await world.stop()
  })

  it('are not what a wrong session token is', async () => {
    const world: World = await startWorld()
    const statuses: number[] = []
    for (let at = 0; at < 10; at += 1)
      statuses.push((await world.gateway.get('/session/status', { token: `wrong-${at}` })).status)
    expect(new Set(statuses)).to.deep.equal(new Set([401]))
    await world.stop()
  })
})
