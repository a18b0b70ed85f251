import { expect } from 'chai'
import { table } from '../../config/build/documents/endpoints.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../support/eventually.ts'
import { admin, type LinkedSession, startWorld, type World } from '../support/world.ts'

/** Of one page, with the envelope. */
const MOST = 1_002_000
/** Three bytes a character, and twice in an event: 350 KB. */
const TEXT = '€'.repeat(60_000)
const COUNT = 12

/** Lists whose pages are bounded by bytes (kernel/page.ts). */
const PAGED = [
  '/chats',
  '/chats/:jid/messages',
  '/chats/search',
  '/events',
  '/events/global/history',
  '/events/history',
  '/sandbox/phones/:phone/chats/:chat',
  '/sandbox/phones/:phone/messages',
  '/server/consumers/:name/dead-letters',
  '/server/jobs/:queue/dead-letters',
  '/session/requests',
  '/status/received',
  '/webhook/deliveries',
  '/webhook/global/deliveries',
  '/webhook/sessions',
]

/** The others, with what bounds them. */
const SMALL: Readonly<Record<string, string>> = {
  '/business/quickreplies': 'what the account has in its app state',
  '/dashboard/login': 'scopes and features',
  '/group/info': 'one group, of 1,024 participants',
  '/group/requests': 'requests to join one group',
  '/issues': 'one of each kind and place',
  '/keys': 'the keys that an admin has made',
  '/label/find': '500 of 300 bytes',
  '/label/list': 'the labels of one account',
  '/message/timeline': '500 steps, and the attempts of one event',
  '/plugins': 'plugins with a page',
  '/polls/:id': 'twelve options with the voters of one chat',
  '/sandbox/faults': 'the kinds of faults',
  '/sandbox/phones': 'the phones of a test',
  '/sandbox/phones/:phone': 'one phone of a test',
  '/sandbox/phones/:phone/chats': 'the chats of a phone, without messages',
  '/sandbox/network': 'the network of a test',
  '/schedule': '200 of 200 characters',
  '/server/audit': '1,000 of 600 bytes',
  '/server/consumers': 'the plugins that consume events',
  '/server/health': 'the nodes',
  '/server/jobs': 'the queues of the plugins',
  '/server/outputs': 'the brokers',
  '/server/plugins': 'the plugins',
  '/server/ready': 'the checks of the plugins',
  '/session/history': 'the last changes of state',
  '/session/passkey': 'one challenge',
  '/session/settings': 'the plugins with settings',
  '/session/settings/:plugin': 'one plugin',
  '/session/storage': 'the tables',
  '/session/summary': 'one row of 300 bytes for each session',
  '/status/posted': 'the own posts of a day, without content',
  '/status/posted/:id': 'the audience and viewers of one post',
  '/user/privacy/except': 'what the network keeps of one setting',
  '/user/username/available': 'suggestions of the network',
  '/webhook/attempts': '200 attempts of one event, with 500 characters of the answer',
  '/webhook/endpoints': 'the webhooks of one session',
  '/webhook/failures': '100 groups',
  '/webhook/global': 'the webhooks of the gateway',
  '/webhook/global/attempts': '200 attempts of one event, with 500 characters of the answer',
  '/webhook/global/health': 'the webhooks of the gateway',
  '/webhook/health': 'the webhooks of one session',
}

interface Shape {
  type?: string
  items?: object
  properties?: Record<string, Shape>
  patternProperties?: object
}

function listsIn(schema: unknown): Shape[] {
  const { properties = {}, ...whole } = (schema ?? {}) as Shape
  return [whole, ...Object.values(properties)].filter((one) => one.items || one.patternProperties)
}

describe('a page of a list', function () {
  this.timeout(300_000)
  let world: World
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    world = await startWorld({ profile: 'all', without: ['pacing'] })
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
    const shop = session.phone.account.phone
    // Twelve of one chat, and each of twelve further chats with one.
    const others = await Promise.all(Array.from({ length: COUNT }, (_, at) => world.phone(`Person ${at}`)))
    for (let at = 0; at < COUNT; at += 1) await ana.send(shop, { Text: `${at} wordy ${TEXT}` })
    for (const phone of others) await phone.send(shop, { Text: `other ${TEXT}` })
    for (let at = 0; at < COUNT; at += 1)
      await ana.act({
        Action: 'postStatus',
        Text: `post ${at} ${TEXT}`,
        Participants: [session.phone.account.jid],
      })
    await eventually(
      async () => (await pagesOf('/events?class=Message&limit=500', 'after', 'Next', 'Events')).items >= 36,
      'all logged',
      { quietMs: 60_000 },
    )
  })
  after(() => world.stop())

  /** Follows the pages to their end. */
  async function pagesOf(path: string, given: string, next: string, list: string) {
    const sizes: number[] = []
    const ids: string[] = []
    let items = 0
    for (let cursor = ''; sizes.length < 100; ) {
      const query = cursor && `&${given}=${cursor}`
      const response = await fetch(`${world.gateway.url}${path}${query}`, {
        headers: path.includes('global') ? admin : session.headers,
      })
      const text = await response.text()
      expect(response.status, text.slice(0, 300)).to.equal(200)
      const { data } = JSON.parse(text) as { data: Record<string, unknown> }
      const found = data[list] as object[]
      if (found.length > 0) sizes.push(Buffer.byteLength(text))
      items += found.length
      ids.push(...found.map((one) => JSON.stringify(one).slice(0, 300)))
      cursor = String(data[next])
      if (cursor === '0' || cursor === '' || found.length === 0) break
    }
    expect(new Set(ids).size, 'each item once').to.equal(ids.length)
    return { sizes, items }
  }

  /** Path, the field of the cursor and where it comes from, the list and its length. */
  const LISTS: readonly [path: string, given: string, next: string, list: string, items: number][] = [
    ['/events?class=Message&limit=500', 'after', 'Next', 'Events', 3 * COUNT],
    ['/events/history?class=Message&limit=200', 'before', 'Before', 'Events', 3 * COUNT],
    ['/events/global/history?class=Message&limit=200', 'before', 'Before', 'Events', 3 * COUNT],
    ['/chats/ana/messages?limit=200', 'before', 'Before', 'Messages', COUNT],
    ['/chats/search?text=wordy&limit=200', 'before', 'Before', 'Messages', COUNT],
    ['/chats?limit=200', 'before', 'Before', 'Chats', 1 + COUNT],
    ['/status/received?limit=200', 'before', 'Before', 'Posts', COUNT],
  ]
  for (const [path, given, next, list, items] of LISTS)
    it(`of GET ${path} has at most a megabyte, and the next one continues`, async () => {
      const found = await pagesOf(path.replace('ana', ana.account.phone), given, next, list)
      expect(found.items).to.equal(items)
      expect(found.sizes).to.have.length.greaterThan(1)
      expect(Math.max(...found.sizes)).to.be.lessThan(MOST)
    })

  it('of every list is bounded by bytes, or by what a list of its number can hold', () => {
    const lists = world.gateway
      .describe()
      .plugins.flatMap(({ routes }) => routes)
      .filter((route) => !table.some((row) => row.method === route.method && row.path === route.path))
      .filter(({ method, spec }) => method === 'GET' && listsIn(spec.response).length > 0)
      .map(({ path }) => path)
    expect(lists.sort()).to.deep.equal([...PAGED, ...Object.keys(SMALL)].sort())
  })

  it('has one item, however large that is', async () => {
    const { data } = await session.get('/events?class=Message&limit=1')
    expect(data.Events).to.have.length(1)
  })
})
