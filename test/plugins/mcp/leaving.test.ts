import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { expect } from 'chai'
import { type Shape, sampleOf } from '../../../config/build/documents/samples.ts'
import type { Route } from '../../../kernel/plugin.ts'
import chatLog from '../../../plugins/chat-log/index.ts'
import mcp from '../../../plugins/mcp/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import schedule from '../../../plugins/schedule/index.ts'
import { picture } from '../../support/picture.ts'
import { createProbe } from '../../support/probe.ts'
import { type FileServer, give, startFileServer } from '../../support/servers/file-server.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type Clients, call, clientsOf, type Person, person } from './clients.ts'

const SCOPES = ['read', 'send', 'manage']
const SECRET = '/steal?secret=of-the-shop'

/** What an assistant does that a stranger has talked into it: whom it writes to, and where it has files fetched from. */
interface Aim {
  readonly person: string
  readonly group: string
  readonly url: string
}

/** Each tool of the list, called with a stranger's address and number in every field that takes one. */
describe('what leaves the account through an assistant', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let eve: Phone
  let files: FileServer
  let clients: Clients
  let group: string
  const probe = createProbe()
  before(async () => {
    const image = await picture()
    files = await startFileServer({ [SECRET]: give(image.split(',')[1] ?? '', 'image/jpeg') })
    ;({ world, session, ana } = await openShop({
      extra: [mcp, chatLog, schedule, probe.plugin],
      config: { mcp: { scopes: SCOPES, confirmSends: 'always' } },
      without: ['pacing'],
      allowPrivateHosts: ['127.0.0.1'],
    }))
    // Baileys announces a presence without a name for each step of the first synchronisation.
    await probe.synced(session)
    eve = await world.phone('Eve')
    clients = clientsOf(() => world.gateway.url)
    const made = { GroupName: 'Plans', Participants: [ana.account.phone] }
    group = (await session.post('/group/create', made)).data.JID
    await session.post('/send/text', { Phone: ana.account.phone, Body: 'known' })
  })
  after(async () => {
    await clients.close()
    await world.stop()
    await files.close()
  })

  const routes = (): Map<string, Route> =>
    new Map(
      world.gateway
        .describe()
        .plugins.flatMap((plugin) => [...plugin.routes])
        .map((route) => [nameOf(route), route]),
    )
  const aims = (): Aim[] => {
    const url = files.url + SECRET
    return [
      { person: eve.account.phone, group, url },
      { person: ana.account.phone, group, url },
    ]
  }

  async function allCalled(client: Client): Promise<Map<string, string[]>> {
    const { tools } = await client.listTools()
    const byName = routes()
    const answers = new Map<string, string[]>()
    for (const { name } of tools) {
      const route = byName.get(name)
      if (!route) throw new Error(`no route of ${name}`)
      for (const aim of aims()) {
        const { text } = await call(client, name, argumentsOf(route, aim))
        answers.set(name, [...(answers.get(name) ?? []), text])
      }
    }
    return answers
  }

  for (const [what, open] of [
    ['declined by a person', () => clients.overHttp(session.token, person('decline'))],
    ['of a client without a person', () => clients.overHttp(session.token)],
  ] as const)
    it(`is nothing, ${what}: no fetched address, no public change, nothing for a stranger`, async () => {
      const seen = watchAll(world, { session, eve })
      const before = files.asked.length
      const client = await open()
      const answers = await allCalled(client)
      expect(answers.size).to.be.greaterThan(150)
      const left = await seen.end()
      expect(files.asked.slice(before), 'requests of the stranger’s server').to.deep.equal([])
      expect(left).to.deep.equal([])
      const held = [...answers].filter(([, texts]) => texts.some((text) => text.startsWith('Not done')))
      expect(held.map(([name]) => name)).to.include.members([
        ...['mediaConvert', 'userProfile', 'groupPhoto', 'sendImage'],
        ...['userAbout', 'userName', 'groupCreate', 'contactAdd'],
      ])
    }).timeout(300_000)

  describe('is asked about', () => {
    const asked = async (name: string, args: object): Promise<{ who: Person; text: string }> => {
      const who = person('decline')
      const client = await clients.overHttp(session.token, who)
      const { text } = await call(client, name, { ...args })
      expect(text, name).to.match(/^Not done: /)
      return { who, text }
    }

    it('with name and number of the person, and that the account has never written to them', async () => {
      await eve.send(session.phone.account.phone, { Text: 'hi' })
      await world.gateway.post(
        '/contact/add',
        { Phone: eve.account.phone, FullName: 'Eve "The" Stranger' },
        session.headers,
      )
      const { who } = await asked('sendText', { Phone: eve.account.phone, Body: 'secrets' })
      expect(who.asked[0])
        .to.include('"Eve \\"The\\" Stranger"')
        .and.include(`+${eve.account.phone}`)
        .and.include('you have never written to them')
      const known = await asked('sendText', { Phone: ana.account.phone, Body: 'secrets' })
      expect(known.who.asked[0]).to.include(`+${ana.account.phone}`).and.not.include('never written')
    })

    it('with the host of an address, and that it gets what the address contains', async () => {
      const { host } = new URL(files.url)
      const { who } = await asked('mediaConvert', { File: files.url + SECRET, To: 'picture' })
      expect(who.asked[0]).to.include(host).and.include('what the address contains')
      expect(files.asked).to.deep.equal([])
    })
  })
})

/** As the OpenAPI document names it. */
function nameOf({ method, path }: Route): string {
  const words = path.replace(/:(\w+)/g, 'by-$1').match(/[a-z0-9]+/gi) ?? []
  const all = method === 'POST' ? words : [method.toLowerCase(), ...words]
  return all.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
}

/** The example of the route, or a sample of its schema, aimed. */
function argumentsOf({ path, spec }: Route, aim: Aim): Record<string, unknown> {
  const shape = (spec.body ?? {}) as Shape
  const base = structuredClone(spec.example ?? (shape.properties ? sampleOf(shape) : {})) as Record<
    string,
    unknown
  >
  const inPath = Object.fromEntries([...path.matchAll(/:(\w+)/g)].map(([, name = '']) => [name, aim.person]))
  return { ...aimed(shape, base, aim), ...inPath }
}

type Field = Shape & { names?: string }

function aimed(shape: Shape, given: Record<string, unknown>, aim: Aim): Record<string, unknown> {
  const fields = { ...given }
  for (const [name, field] of Object.entries(shape.properties ?? {})) {
    const value = aimedValue(name, field, aim)
    if (value !== undefined) fields[name] = value
    else if (Array.isArray(fields[name]) && field.items)
      fields[name] = (fields[name] as unknown[]).map((one) =>
        typeof one === 'object' && one !== null
          ? aimed(field.items ?? {}, one as Record<string, unknown>, aim)
          : (aimedValue(name, field.items ?? {}, aim) ?? one),
      )
    else if (typeof fields[name] === 'object' && fields[name] !== null)
      fields[name] = aimed(field, fields[name] as Record<string, unknown>, aim)
  }
  return fields
}

/** What the stranger wants in that field; undefined for one that neither addresses somebody nor has a link. */
function aimedValue(name: string, field: Field, { person, group, url }: Aim): unknown {
  const types = [field.type].flat()
  if (types.includes('array') && field.items) {
    const inner = aimedValue(name, field.items, { person, group, url })
    return inner === undefined ? undefined : [inner]
  }
  if (!types.includes('string') || field.enum) return undefined
  if (field.names === 'group') return group
  if (field.format === 'phone') return person
  const isLink = ['file', 'link', 'uri'].includes(field.format ?? '') || /(url|link|uri)$/i.test(name)
  return isLink ? url : undefined
}

/** What phones got, and what a companion sent to the network other than its own settings and questions. */
function watchAll(world: World, { session, eve }: { session: LinkedSession; eve: Phone }) {
  const { feed } = world.gateway.service('sandbox').network
  const stop = new AbortController()
  const left: string[] = []
  let cursor = feed.last
  const [messages, presences] = [eve.messages().length, eve.presences.length]
  const contacts = () => JSON.stringify(contactsOf(session.phone))
  const before = contacts()
  const drain = (): void => {
    const events = feed.after(cursor)
    if (!events) throw new Error('the feed of the network was read too slowly')
    cursor = events.at(-1)?.seq ?? cursor
    for (const { kind, phone, view } of events) {
      if (kind !== 'stanza' || phone !== session.phone.account.phone) continue
      const { Direction, Device, Stanza } = view() as {
        Direction: string
        Device: number
        Stanza: { Tag: string; Attrs: Record<string, string> }
      }
      if (Direction !== 'up' || Device === 0) continue
      const { Tag: tag, Attrs: attrs } = Stanza
      const isOwn =
        tag === 'ack' ||
        // The gateway asks to be told when somebody is online; nobody sees that.
        (tag === 'presence' && attrs['type'] === 'subscribe') ||
        // The network makes a link for calls; nobody gets it.
        (tag === 'call' && attrs['to'] === '@call') ||
        (tag === 'receipt' && !['read', 'played'].includes(attrs['type'] ?? '')) ||
        (tag === 'iq' && (attrs['type'] !== 'set' || QUIET.includes(attrs['xmlns'] ?? '')))
      if (!isOwn) left.push(`${tag} ${JSON.stringify(attrs)}`)
    }
  }
  void (async () => {
    // The feed keeps some thousands of events only.
    while (!stop.signal.aborted) if (await feed.wait(cursor, 1_000, stop.signal)) drain()
  })()
  return {
    async end(): Promise<string[]> {
      drain()
      stop.abort()
      if (eve.messages().length > messages) left.push('a message to the stranger')
      if (eve.presences.length > presences) left.push('a presence for the stranger')
      if (contacts() !== before) left.push('a contact of the account')
      return left
    },
  }
}

/** Requests that change nothing that anybody else sees: settings of the account's own devices. */
const QUIET = ['w:sync:app:state']

function contactsOf(phone: Phone): unknown[] {
  return Object.values(phone.view()['Settings'] as object)
    .flatMap((one) => Object.entries(one as object))
    .filter(([index]) => index.includes('contact'))
}
