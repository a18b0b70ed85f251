import { gatewayAddress, gatewayError, type Kernel, type RouteBuilder, reply, T } from 'wamux/plugin'
import type { SignInCodes } from './codes.ts'
import { cookieOf, readCookie } from './cookie.ts'
import { HEADER } from './find.ts'
import type { Logins } from './logins.ts'
import { LoginView, viewOf } from './view.ts'

type Deps = Kernel<unknown> & {
  logins: Logins
  signInCodes: SignInCodes
  publicAddress?: { readonly url: string } | undefined
}

/** Beginning and ending a login, identified by a cookie that scripts can't read. */
export const routes = <D extends Deps>(r: RouteBuilder<D>) => [
  r.post('/dashboard/login', {
    summary: 'Log in to the dashboard',
    description:
      'With the admin token, a key or the token of a session as `Authorization: Bearer`, and the header `X-Wamux-Dashboard: 1`. The answer sets a cookie, which counts as that token until the login ends: for GET, and for other methods with the header `X-Wamux-Dashboard`. It is `HttpOnly` and `SameSite=Strict`, and `Secure` behind TLS. The 21st login of the same credential ends its oldest one.',
    access: 'known',
    scope: 'read',
    audit: 'dashboard.login',
    errors: ['DASHBOARD_HEADER'],
    response: LoginView,
    async handle({ header, session, caller, viewer }, deps) {
      if (header(HEADER) === '') throw gatewayError('DASHBOARD_HEADER')
      const token = /^Bearer +(\S+) *$/i.exec(header('authorization'))?.[1] ?? ''
      if (!token) throw gatewayError('TOKEN_INVALID')
      const { cookie, expiresAt } = await begun({ token, owner: viewer.id }, header, deps)
      return answer(viewOf({ session, caller }, expiresAt, deps), cookie)
    },
  }),
  r.post('/dashboard/login/code', {
    leaves: [],
    summary: 'Log in to the dashboard with the code of a sign-in link',
    description:
      'The sandbox prints such a link when it starts. The code is valid once; the answer sets the cookie of `POST /dashboard/login`.',
    access: 'public',
    audit: 'dashboard.login',
    errors: ['DASHBOARD_HEADER', 'DASHBOARD_CODE'],
    body: T.Object({ Code: T.String({ minLength: 1, maxLength: 100, description: 'From the link' }) }),
    response: T.Object({ Details: T.String() }, { title: 'Done' }),
    async handle({ body, header }, deps) {
      if (header(HEADER) === '') throw gatewayError('DASHBOARD_HEADER')
      const { cookie } = await begun(
        { token: deps.signInCodes.spend(body.Code), owner: 'admin' },
        header,
        deps,
      )
      return answer({ Details: 'Logged in' }, cookie)
    },
  }),
  r.get('/dashboard/login', {
    summary: 'Read the rights and the end of the dashboard login',
    description: '401 without a login.',
    access: 'known',
    response: LoginView,
    async handle({ header, session, caller }, deps) {
      const found = await deps.logins.find(readCookie(header('cookie')))
      if (!found) throw gatewayError('TOKEN_INVALID')
      return viewOf({ session, caller }, found.expiresAt, deps)
    },
  }),
  r.delete('/dashboard/login', {
    isDestructive: false,
    summary: 'Log out of the dashboard',
    description: 'Ends the streams opened with the login.',
    access: 'known',
    scope: 'read',
    audit: 'dashboard.logout',
    response: T.Object({ Details: T.String() }, { title: 'Done' }),
    async handle({ header }, { logins, publicAddress }) {
      const secret = readCookie(header('cookie'))
      if (secret) await logins.end(secret)
      return answer(
        { Details: 'Logged out' },
        cookieOf('', gatewayAddress(publicAddress?.url ?? '', header), 0),
      )
    },
  }),
]

/** Creates a login and its cookie. */
async function begun(
  { token, owner }: { token: string; owner: string },
  header: (name: string) => string,
  { logins, publicAddress }: Deps,
) {
  const { secret, expiresAt } = await logins.begin(token, owner)
  const seconds = Math.round((expiresAt - Date.now()) / 1000)
  return { expiresAt, cookie: cookieOf(secret, gatewayAddress(publicAddress?.url ?? '', header), seconds) }
}

function answer(data: object, cookie: string) {
  const body = JSON.stringify({ code: 200, data, success: true })
  return reply(body, { 'Content-Type': 'application/json; charset=utf-8', 'Set-Cookie': cookie })
}
