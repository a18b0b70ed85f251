import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { BUILTIN } from '../../config/builtin.ts'
import { describeGateway } from '../../config/cli/describe-plugins.ts'
import { loadConfig } from '../../config/load.ts'

/** What other gateways call a thing that a route does here. */
const FEATURES: readonly [theirs: RegExp, here: string][] = [
  [/proxy/i, '/session/proxy'],
  [/\bfindChats\b|\/chats`/, '/chats'],
  [/\bfindMessages\b|\/chat\/history\b/, '/chats/{jid}/messages'],
  [/\/calls?\/reject|rejectCall/, '/session/settings/{plugin}'],
  [/\/settings\/set\b/, '/session/settings/{plugin}'],
  [/\bsendTemplate\b/, '/v23.0/{phone}/messages'],
  [/websocket/i, '/events/socket'],
  [/\bsendPtv\b|\basNote\b/, '/send/video'],
  [/\/forward(Message)?`/, '/message/forward'],
  [/\/star`/, '/message/star'],
  [/\/pin`/, '/message/pin'],
  [/\bsendPollVote\b/, '/message/vote'],
  [/\bgetPollVote\b/, '/polls/{id}'],
  [/join-requests|participant-requests|requestparticipants/, '/group/requests'],
  [/\bsendCarousel\b|\/carousel`/, '/send/carousel'],
  [/\bupdateProfileStatus\b|\/status\/set\/text`/, '/user/about'],
]
const NOT = /^not available/
/** Words for a path that the table does not have as it stands. */
const SHOWN: Readonly<Record<string, string>> = { '/v23.0/{phone}/messages': '/v{version}/{id}/messages' }

interface Row {
  /** The heading that it stands under. */
  section: string
  theirs: string
  here: string
}

describe('the comparison with other gateways', () => {
  const text = readFileSync('kernel/docs/moving-over.md', 'utf8')
  const rows = rowsIn(text)
  /** The plugin of a route, by path, and by method and path. */
  const owners = new Map<string, string>()
  let standard: ReadonlySet<string>
  before(async () => {
    const all = Object.fromEntries(Object.keys(BUILTIN).map((name) => [name, true]))
    for (const { name, routes } of describeGateway(await loadConfig({}, all)).plugins)
      for (const { method, path } of routes) {
        const shown = path.replace(/:(\w+)/g, '{$1}')
        owners.set(shown, name).set(`${method} ${shown}`, name)
      }
    standard = new Set(describeGateway(await loadConfig({})).plugins.map(({ name }) => name))
  })
  const ownerOf = (route: string): string | undefined => owners.get(SHOWN[route] ?? route)

  it('is found', () => {
    expect(rows.length).to.be.greaterThan(65)
    const sections = new Set(rows.map(({ section }) => section))
    expect([...sections]).to.include.members(['From WuzAPI', 'From Evolution API', 'From WAHA', 'From GOWA'])
  })

  it('names routes that exist', () => {
    const named = rows.flatMap(({ theirs, here }) => [
      ...routesIn(here),
      // Rows that name their routes only, since those are the same.
      ...(here.startsWith('the same') ? routesIn(theirs) : []),
    ])
    expect(named.length).to.be.greaterThan(100)
    expect([...new Set(named)].filter((route) => !ownerOf(route))).to.deep.equal([])
  })

  it('names the plugin of a route that is off by default', () => {
    const silent = rows.flatMap(({ theirs, here }) =>
      [...routesIn(here), ...(here.startsWith('the same') ? routesIn(theirs) : [])].flatMap((route) => {
        const plugin = ownerOf(route)
        return !plugin || standard.has(plugin) || here.includes(`[${plugin}]`) ? [] : [`${route}: ${plugin}`]
      }),
    )
    expect(silent).to.deep.equal([])
  })

  it('calls nothing unavailable that a route does', () => {
    const missing = rows.filter(({ here }) => NOT.test(here))
    expect(missing.length).to.be.greaterThan(1)
    const wrong = missing.flatMap(({ section, theirs }) => [
      ...routesIn(theirs).filter(ownerOf),
      ...FEATURES.filter(([words, here]) => words.test(theirs) && ownerOf(here)).map(
        ([, here]) => `${section}: ${here}`,
      ),
    ])
    expect(wrong).to.deep.equal([])
  })

  for (const [words, here] of FEATURES)
    it(`leads from ${words.source} to ${here}`, () => {
      expect(ownerOf(here), here).to.be.a('string')
      const found = rows.filter(({ theirs }) => words.test(theirs))
      const shown = found.flatMap((row) => [...routesIn(row.here), ...routesIn(row.theirs)])
      expect(shown.map((route) => route.replace(/^[A-Z]+ /, ''))).to.include(here)
    })
})

function rowsIn(text: string): Row[] {
  return text.split(/^## /m).flatMap((part) => {
    const section = part.slice(0, part.indexOf('\n'))
    return [...part.matchAll(/^\| (.+?) \| (.+?) \|$/gm)]
      .map(([, theirs = '', here = '']) => ({ section, theirs, here }))
      .filter(({ theirs }) => theirs.includes('`') && !/^`?[\w.]+`?(, `[\w.]+`)*$/.test(theirs))
  })
}

/** The routes in code, with their method where it is named; those that share the first one's beginning written out. */
function routesIn(cell: string): string[] {
  const found = [...cell.matchAll(/`(?:([A-Z]+) )?(\/[\w{}./-]+)/g)]
  const [, , first = ''] = found[0] ?? []
  const base = first.slice(0, first.lastIndexOf('/'))
  return found.map(([, method, path = '']) => {
    const whole = path.indexOf('/', 1) < 0 && base && path !== first ? `${base}${path}` : path
    return method ? `${method} ${whole}` : whole
  })
}
