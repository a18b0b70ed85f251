import { readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { Id } from 'wamux/messaging'
import { type Shape, sampleOf } from '../../../config/build/documents/samples.ts'
import type { Route } from '../../../kernel/plugin.ts'
import { isSweep, whole } from '../../support/run/whole.ts'
import { addressOf, type Parts, type TextField, textFieldsOf } from './fields.ts'
import { errorIn } from './outcome.ts'
import { each, type Sent, send, sentRequests } from './requests.ts'
import { type Canary, type Foreign, type Scene, startScene } from './scene.ts'
import { unknownLike } from './unknown.ts'
import { ADDRESSED, type Seen, type Watch, watch } from './watch.ts'

/** One text of one route. */
interface Place {
  readonly route: Route
  readonly field: TextField
  readonly base: Parts
}

const DOCUMENT = 'kernel/docs/security.md'
/** Canaries by which somebody is addressed. */
const ADDRESS = /^(number|LID|group) /
/** All that is known of an id that was used for a send: that it can't be used for another. */
const USED = /was already used for another message|is still running/

whole.describe('each text of each route, replaced by what belongs to others', function () {
  this.timeout(1_800_000)
  let scene: Scene
  let seen: Watch
  const chosen = new Set<string>()
  before(async () => {
    scene = await startScene()
    const { world, session, ana, bob, other, eve } = scene
    seen = watch(world, { session: session.phone, recipients: [ana], strangers: [bob, other, eve] })
  })
  after(async () => {
    process.stdout.write(`    ${sentRequests()} requests\n`)
    seen.stop()
    await scene.stop()
  })

  const routesOf = (accesses: readonly string[]): Route[] =>
    scene.world.gateway
      .describe()
      .plugins.flatMap(({ routes }) => [...routes])
      .filter(({ spec }) => accesses.includes(spec.access ?? 'login'))
  const placesOf = (routes: readonly Route[]): Place[] =>
    routes.flatMap((route) => {
      const base = baseOf(scene, route)
      return textFieldsOf(route).map((field) => ({ route, field, base }))
    })

  it('are found in the schemas, at any depth', () => {
    const places = placesOf(routesOf(['login', 'token', 'client', 'known', 'owner']))
    const names = places.map(({ route, field }) => `${route.path} ${field.name}`)
    expect(places.length).to.be.greaterThan(450)
    expect(names).to.include.members([
      '/send/text ContextInfo.StanzaId',
      '/send/text ContextInfo.MentionedJID.0',
      '/v:version/:id/messages context.message_id',
      '/v:version/:id/messages interactive.action.sections.0.rows.0.id',
      '/schedule/:id :id',
      '/message/markread Id.0',
      '/chats/:jid/messages :jid',
    ])
  })

  it('are replaced by what the table in the documents lists', () => {
    const row = (...cells: string[]): string => `| ${cells.join(' | ')} |`
    const table = [
      row('value', 'key limited to chats', 'session token'),
      row('---', '---', '---'),
      ...scene.ofChat.map(({ kind }) => row(`${kind}, of another chat`, 'nothing', '–')),
      ...scene.ofSession.map(({ kind }) => row(`${kind}, of another session`, 'nothing', 'nothing')),
    ].join('\n')
    expect(readFileSync(DOCUMENT, 'utf8'), `${DOCUMENT} must have this table:\n\n${table}\n`).to.include(
      table,
    )
  })

  // What a client sends comes back in its own chats, so what is only read is read before; and an id that it has chosen for a
  // send is one of its own from then on.
  const STAGES: readonly [name: string, isMeant: (place: Place) => boolean, isRead: boolean][] = [
    ['what is read shows', isRead, true],
    ['what is done shows and sends', (place) => !isRead(place) && !isOwnId(place), false],
    ['an id of its own choice shows and sends', isOwnId, false],
  ]
  for (const [name, isMeant, isRead] of STAGES) {
    it(`${name} nothing of another chat, for a key that is limited to chats`, async () => {
      const routes = routesOf(['login', 'token', 'client'])
      const canaries = [...scene.canariesOfChat, ...scene.canariesOfSession]
      const run = { scene, seen, headers: scene.limited, canaries, isRead, chosen }
      const places = placesOf(routes).filter(isMeant)
      const faults = await asTheyAre(run, [...new Set(places.map(({ route }) => route))])
      faults.push(...(await allReplaced(run, places, [...scene.ofChat, ...scene.ofSession])))
      expect(faults, faults.join('\n')).to.have.length(0)
      // What may go out did: otherwise nothing was tried.
      if (!isRead) expect(scene.ana.messages().length).to.be.greaterThan(50)
    })

    it(`${name} nothing of another session, for the token of a session`, async () => {
      const places = placesOf(routesOf(['login', 'token', 'client', 'known', 'owner'])).filter(isMeant)
      const { ofSession, canariesOfSession: canaries, session } = scene
      const run = { scene, seen, headers: session.headers, canaries, isRead, chosen }
      const faults = await allReplaced(run, places, ofSession)
      expect(faults, faults.join('\n')).to.have.length(0)
    })
  }
})

function isRead({ route }: Place): boolean {
  return route.method === 'GET'
}

interface Run {
  readonly scene: Scene
  readonly seen: Watch
  readonly headers: Record<string, string>
  readonly canaries: readonly Canary[]
  /** Only what changes nothing is called. */
  readonly isRead: boolean
  /** Ids that the client chose for sends: stanzas bear them, and later their receipts. */
  readonly chosen: Set<string>
}

/** One value after the other: what left is known by the value that was tried. */
async function allReplaced(run: Run, places: readonly Place[], all: readonly Foreign[]): Promise<string[]> {
  const faults: string[] = []
  for (const foreign of all) {
    const turn = places.filter((place, index) => kindsFor(place, index, all).includes(foreign))
    if (turn.length > 0) faults.push(...(await replaced(run, turn, foreign)))
  }
  return faults
}

/** All of them in a sweep; else, at every third place, one that the field seems to be for, each in its turn. */
function kindsFor({ field }: Place, index: number, all: readonly Foreign[]): readonly Foreign[] {
  if (isSweep) return all
  if (index % 3 !== 0) return []
  const isForId = /(id|after|before)(\.0)?$/i.test(field.name)
  const fitting = all.filter(({ kind }) => kind.startsWith('id of') === isForId)
  const one = (fitting.length > 0 ? fitting : all)[(index / 3) % Math.max(1, fitting.length)]
  return one ? [one] : []
}

function isOwnId({ route, field }: Place): boolean {
  const { properties = {} } = (route.spec.body ?? {}) as { properties?: Record<string, object> }
  return field.name === 'Id' && isDeepStrictEqual(properties['Id'], Id)
}

/** Requests as the examples have them, except for those that end something. */
async function asTheyAre(run: Run, routes: readonly Route[]): Promise<string[]> {
  const faults: string[] = []
  await each(
    routes.filter(({ spec }) => !spec.isDestructive),
    6,
    async (route) => {
      const answer = await ask(run, route, baseOf(run.scene, route))
      faults.push(...canariesIn(run.canaries, '', `the answer of ${route.method} ${route.path}`, answer.text))
    },
  )
  return [...faults, ...(await whatLeft(run, ''))]
}

/** The same requests with a value of somebody else in one of their texts, each beside one with a value that nobody has. */
async function replaced(run: Run, places: readonly Place[], foreign: Foreign): Promise<string[]> {
  const faults: string[] = []
  const { kind, value, isPublic = false } = foreign
  await each(places, 6, async (place) => {
    const { route, field, base } = place
    if (isOwnId(place)) run.chosen.add(value)
    const what = `${route.method} ${route.path} with the ${kind} in ${field.name}`
    const answer = await ask(run, route, field.put(base, value))
    faults.push(...canariesIn(run.canaries, value, `the answer of ${what}`, answer.text))
    if (isPublic || USED.test(errorIn(answer.text))) return
    const unknown = unknownLike(value)
    const other = await ask(run, route, field.put(base, unknown))
    const [one, two] = [shown(route, answer, value), shown(route, other, unknown)]
    if (one !== two && !USED.test(errorIn(other.text)))
      faults.push(`${what}: ${one}; with an unknown one: ${two}`)
  })
  const left = await whatLeft(run, isPublic ? '*' : value)
  return [...faults, ...left.map((fault) => `${fault}, while the ${kind} was tried`)]
}

function baseOf({ real, id, session, ana }: Scene, { path, spec }: Route): Parts {
  const shape = (spec.body ?? {}) as Shape
  const fields = real(spec.example ?? (shape.properties ? (sampleOf(shape) as object) : {}))
  const number = session.phone.account.phone
  const own = path.startsWith('/v:version') ? number : id
  return { params: { version: '23.0', id: own, jid: ana.account.phone }, fields: fields as Parts['fields'] }
}

function ask({ scene, headers }: Run, route: Route, parts: Parts): Promise<Sent> {
  const { method, spec } = route
  const body = method === 'GET' || !spec.body ? undefined : parts.fields
  return send(scene.world.gateway.url, { method, path: addressOf(route, parts), headers, body })
}

/** What both answers must have in common: all of it where nothing was done, else whether it was done. */
function shown({ method }: Route, { status, text }: Sent, value: string): string {
  const all = method === 'GET' ? text : errorIn(text)
  return `${status} ${all.replaceAll(value, '<value>').replace(/"fbtrace_id":"[^"]*"/, '')}`
}

/** What phones and network got since the last look, once all of it has arrived. */
async function whatLeft({ scene, seen, canaries, isRead, chosen }: Run, value: string): Promise<string[]> {
  const { session, ana } = scene
  if (!isRead) {
    const { data } = await session.post('/send/text', { Phone: ana.account.phone, Body: 'the last' })
    await ana.wait(({ id }) => id === data.Id)
  }
  return seen
    .take()
    .map(({ where, text }) => ({ where, text: withoutIds(chosen, text) }))
    .flatMap((one) => leakIn(canaries, value, one))
}

/** A stanza without its `id`, where that is one that the client chose: it addresses nobody. */
function withoutIds(chosen: ReadonlySet<string>, text: string): string {
  return text.replace(/"id":"([^"]*)"/g, (attribute, id: string) => (chosen.has(id) ? '"id":""' : attribute))
}

function leakIn(canaries: readonly Canary[], value: string, { where, text }: Seen): string[] {
  if (where.startsWith('a stranger')) return [`${where} got ${text.slice(0, 300)}`]
  if (where !== ADDRESSED) return canariesIn(canaries, value, where, text)
  // Whatever the request names: nothing is addressed to another chat, or asks about it.
  const addresses = canaries.filter(({ name }) => ADDRESS.test(name))
  return canariesIn(addresses, value === '*' ? value : '', where, text)
}

/** @param value that the request itself had; `*` for one by which everybody learns the address of a person */
function canariesIn(canaries: readonly Canary[], value: string, where: string, text: string): string[] {
  return canaries
    .filter(({ name, text: own }) => !value.includes(own) && !(value === '*' && ADDRESS.test(name)))
    .filter((canary) => text.includes(canary.text))
    .map(({ name, text: found }) => `${where} has the ${name}: …${around(text, found)}…`)
}

function around(text: string, found: string): string {
  const at = text.indexOf(found)
  return text.slice(Math.max(0, at - 60), at + found.length + 60)
}
