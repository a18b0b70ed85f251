import { expect } from 'chai'
import { table } from '../../config/build/documents/endpoints.ts'
import type { Route, TSchema } from '../../kernel/plugin.ts'
import { admin, type LinkedSession, startWorld, type World } from '../support/world.ts'

/** No field of any route. */
const TYPO = 'Unknwon'
/** They end the session, so they come last. */
const ENDING = ['/session/disconnect', '/session/logout', '/session/delete']

interface Answer {
  status: number
  ignored: string[]
  error: string
  errorCode: string
}

describe('an unknown field or query parameter', function () {
  this.timeout(300_000)
  let world: World
  let session: LinkedSession
  let routes: readonly Route[]
  before(async () => {
    world = await startWorld({ profile: 'all' })
    session = await world.linked(await world.phone('Shop'))
    routes = world.gateway.describe().plugins.flatMap((plugin) => plugin.routes)
  })
  after(() => world.stop())

  const isSpecified = ({ method, path }: Route) =>
    table.some((row) => row.method === method && row.path === path)
  const isTolerant = ({ spec }: Route) => {
    const { contentMediaType } = (spec.response ?? {}) as { contentMediaType?: string }
    return spec.ignoresUnknown ?? contentMediaType === 'text/html'
  }
  /** Names that the list must have. */
  const knownOf = ({ method, spec }: Route, isInBody: boolean): string[] => {
    const { properties = {} } = (spec.body ?? {}) as TSchema & { properties?: object }
    return isInBody || (method === 'GET' && spec.body) ? Object.keys(properties) : [...(spec.query ?? [])]
  }

  async function call({ method, path }: Route, query: string, body?: unknown): Promise<Answer> {
    const address = path.replace('v:version', 'v20.0').replace(/:\w+/g, 'x')
    // Names both callers; a page, a stream or a file may have another body than JSON.
    const response = await fetch(`${world.gateway.url}${address}${query}`, {
      method,
      redirect: 'manual',
      headers: { ...admin, ...session.headers, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = response.headers.get('content-type')?.includes('application/json')
      ? await response.text()
      : ''
    await response.body?.cancel().catch(() => undefined)
    const { error = '', errorCode = '' } = text ? (JSON.parse(text) as Partial<Answer>) : {}
    const ignored = response.headers.get('x-ignored-fields')?.split(', ') ?? []
    return { status: response.status, ignored, error: String(error), errorCode }
  }
  function refused(route: Route, isInBody: boolean, { status, error, errorCode }: Answer): void {
    const name = `${route.method} ${route.path}`
    expect(`${status} ${errorCode}`, name).to.equal('400 FIELD_UNKNOWN')
    const known = knownOf(route, isInBody)
    expect(error, name).to.equal(
      `Unknown field ${TYPO} in Payload; known: ${known.length > 0 ? known.join(', ') : 'none'}`,
    )
  }
  const takesJson = ({ method, spec }: Route) => method !== 'GET' && spec.body !== undefined
  /** Takes any fields: what a browser's authenticator answers. */
  const isOpen = ({ spec }: Route) => 'additionalProperties' in (spec.body ?? {})

  it('is refused in the query of every extension, with the known ones', async () => {
    const strict = routes.filter((route) => !isTolerant(route))
    expect(strict.length).to.be.greaterThan(180)
    for (const route of strict) {
      // With a token in the query, which every route takes.
      refused(route, false, await call(route, `?${TYPO}=1&token=${session.token}`))
    }
  })

  it('is refused in the body of every extension, with the known ones', async () => {
    const strict = routes.filter((route) => !isTolerant(route) && takesJson(route) && !isOpen(route))
    expect(strict.length).to.be.greaterThan(90)
    for (const route of strict) refused(route, true, await call(route, '', { [TYPO]: 1 }))
  })

  it('is ignored and named by every route of the specified interface, in query and body', async () => {
    const specified = routes.filter(isSpecified)
    expect(specified).to.have.length(118)
    const isEnding = ({ path }: Route) => ENDING.includes(path)
    const inOrder = [...specified].sort((a, b) => Number(isEnding(a)) - Number(isEnding(b)))
    for (const route of inOrder) {
      const { method, path } = route
      const body = takesJson(route) ? { [TYPO]: 1 } : undefined
      const { ignored, errorCode } = await call(route, `?${TYPO}2=1`, body)
      expect(errorCode, `${method} ${path}`).to.not.equal('FIELD_UNKNOWN')
      const names = [`${TYPO}2`, ...(body ? [TYPO] : [])]
      expect(ignored, `${method} ${path}`).to.include.members(names)
    }
  })

  it('is ignored elsewhere only for clients that were written for something else, and by pages', () => {
    const others = routes.filter((route) => isTolerant(route) && !isSpecified(route))
    const names = others.map(({ method, path }) => `${method} ${path}`)
    const pages = others.filter(({ spec }) => spec.ignoresUnknown === undefined)
    expect(pages.map(({ path }) => path).every((path) => /^\/(dashboard|docs|link)/.test(path))).to.equal(
      true,
    )
    const declared = names.filter((name) => !/ \/(dashboard|docs|link|v:version)\b/.test(name))
    expect(declared.sort()).to.deep.equal([
      'GET /group/info',
      'GET /group/invitelink',
      'GET /plugins/:plugin/:file',
      'POST /mcp',
      'POST /message/downloadaudio',
      'POST /message/downloaddocument',
      'POST /message/downloadimage',
      'POST /message/downloadvideo',
      'POST /message/edit',
    ])
  })
})
