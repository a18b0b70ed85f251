import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Shape } from '../../../config/build/documents/samples.ts'
import type { Route } from '../../../kernel/plugin.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { namingOf } from '../../plugins/keys/naming.ts'
import { keysProbe } from '../../plugins/keys/probe.ts'
import { admin, type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type Credential, credentialsOf } from './credentials.ts'
import { COLUMNS, type Column, columnOf, type Outcome, outcomeOf } from './outcome.ts'
import { each, send } from './requests.ts'

const DOCUMENT = 'kernel/docs/security.md'
const LIMITED = 'key limited to chats'
const FOREIGN = '5511900000000'
/** Its handler asks for the cookie of a login itself. */
const BY_COOKIE = '/dashboard/login'

type Cells = Record<Column, Set<Outcome>>

describe('each credential at each route', function () {
  this.timeout(240_000)
  let world: World
  let session: LinkedSession
  let ana: Phone
  let credentials: Credential[]
  before(async () => {
    ;({ world, session, ana } = await openShop({
      profile: 'all',
      without: ['pacing'],
      extra: [keysProbe],
      trustProxy: 1,
    }))
    const init = async (Name: string) => (await world.gateway.post('/session/init', { Name }, admin)).data
    const whose = async (Name: string) => {
      const { Id: id, Token: token } = await init(Name)
      return { id: String(id), token: String(token) }
    }
    // Not linked: what is let through does nothing.
    const linked = (await session.get('/session/summary')).data.Sessions[0].Id
    const chat = ana.account.phone
    const [own, other] = [await whose('own'), await whose('other')]
    credentials = await credentialsOf(world, { session: own, other, linked, chat })
  })
  after(() => world.stop())

  const routes = (): Route[] => world.gateway.describe().plugins.flatMap((plugin) => [...plugin.routes])

  it('gets what the table in the documents says, and a refusal changes nothing', async () => {
    const before = world.counters()
    const found = new Map(credentials.map(({ name }) => [name, emptyCells()]))
    const work = routes().flatMap((route) => credentials.map((credential) => ({ route, credential })))
    const strange: string[] = []
    await each(work, 8, async ({ route, credential }) => {
      const { method, path, spec } = route
      const isLogin = credential.name.startsWith('login')
      if (path === BY_COOKIE && (method === 'GET' ? !isLogin : method === 'POST' && isLogin)) return
      const headers = await credential.headers(route)
      // A body that no route takes: what is let through ends there, where it has one. Chats are looked for in a valid one.
      const named = credential.name === LIMITED && namingOf(spec.body as Shape, FOREIGN)
      const body = method === 'GET' || !spec.body ? undefined : named || []
      const address = path.replace(':version', '23.0').replace(/:\w+/g, '1')
      const { status, text } = await send(world.gateway.url, { method, path: address, headers, body })
      const outcome = outcomeOf(text)
      found.get(credential.name)?.[columnOf(route)].add(outcome)
      if (status >= 500 && status !== 503) strange.push(`${method} ${path} by ${credential.name}: ${status}`)
    })
    expect(work.length).to.be.greaterThan(4_000)
    expect(strange).to.deep.equal([])
    expect(world.counters()['messages']).to.equal(before['messages'])
    expect(ana.messages()).to.deep.equal([])
    const table = tableOf(found)
    expect(readFileSync(DOCUMENT, 'utf8'), `${DOCUMENT} must have this table:\n\n${table}\n`).to.include(
      table,
    )
  })
})

function emptyCells(): Cells {
  return Object.fromEntries(COLUMNS.map((column) => [column, new Set<Outcome>()])) as Cells
}

function tableOf(found: ReadonlyMap<string, Cells>): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [
    row(['credential', ...COLUMNS]),
    row(['---', ...COLUMNS.map(() => '---')]),
    ...[...found].map(([name, cells]) => row([name, ...COLUMNS.map((column) => cellOf(cells[column]))])),
  ].join('\n')
}

/** A limited key is let through where a route shows only what it may see, and refused where a request names no chat. */
function cellOf(outcomes: ReadonlySet<Outcome>): string {
  if (outcomes.has('own chats'))
    return [...outcomes].every(isOfChats) ? 'own chats' : `mixed: ${[...outcomes]}`
  return outcomes.size > 1 ? `mixed: ${[...outcomes]}` : ([...outcomes][0] ?? '–')
}

const isOfChats = (outcome: Outcome): boolean => outcome === 'own chats' || outcome === 'yes'
