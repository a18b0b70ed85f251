import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import knex, { type Knex } from 'knex'
import { openDatabase } from '../../kernel/db/engines/open.ts'
import { createLog } from '../../kernel/logging/log.ts'
import pacing from '../../plugins/pacing/index.ts'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { engines, temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, KEYS } from '../support/gateway.ts'
import { createProbe } from '../support/probe.ts'
import { startReceiver } from '../support/servers/receiver.ts'
import { type LinkedSession, startWorld, type World } from '../support/world.ts'

const NEW_KEYS = `k2:${Buffer.alloc(32, 9).toString('base64')}`

/** What clients, contacts and receivers say; all of it can be looked for. */
const SAID = [
  'words-that-came-in',
  'words-that-went-out',
  'words-in-a-group',
  'words-as-a-status',
  'words-by-lid',
  'words-that-were-typed-wrong',
  'question-of-a-poll',
  'option-of-a-poll',
  'name-of-a-group',
  'secret-in-an-address',
]
const NAMED = ['Ana-pushes', 'Bea-pushes', 'Carla-pushes', 'Ana-as-saved', 'Bea-as-saved', 'Carla-of-old']

/** Names of fields in credentials and ratchets. */
const KEY_FIELDS = ['privKey', 'advSecretKey', 'currentRatchet']

for (const engine of engines) {
  describe(`what is kept on ${engine.name}`, () => {
    it('holds no token, key, message or number in clear, and can be read under a new master key', async () => {
      const place = engine.fresh()
      const lines: string[] = []
      const log = createLog({ level: 'trace', stream: { write: (line: string) => void lines.push(line) } })
      const probe = createProbe()
      const world = await startWorld({
        ...place,
        log,
        extra: [probe.plugin, pacing],
        config: { baileys: { log: 'trace' }, pacing: { perSecond: 1000, burst: 1000, chatPauseMs: 0 } },
      })
      const receivers = [await startReceiver(), await startReceiver()] as const
      receivers[1].answer(() => ({ status: 500 }))
      const used = await traffic(world, receivers, probe)
      // While it runs: what was committed last stands in the WAL.
      const whileItRan = everythingIn(place.dataDir)
      await world.stop()
      for (const receiver of receivers) await receiver.close()

      const stored = Buffer.concat([whileItRan, everythingIn(place.dataDir), await everyRow(place)])
      // The needles are of a kind that is found where it stands in clear.
      expect(stored.includes('Seller'), 'the name of the session').to.equal(true)
      const tables = await rowCounts(place)
      for (const table of KEPT) expect(tables[table], table).to.be.greaterThan(0)
      const needles = [
        ...SAID,
        ...NAMED,
        ...KEY_FIELDS,
        ...used.people,
        ...used.secrets,
        ADMIN,
        KEYS.slice(3),
      ]
      expect(needles).to.not.include('')
      expect(lines.some((line) => line.includes('recv xml'))).to.equal(true)
      const told = (look: (needle: string) => string) => needles.flatMap((needle) => look(needle) || [])
      expect({
        stored: told((needle) => found(stored, needle)),
        logged: told((needle) => lines.find((line) => line.includes(needle)) ?? ''),
      }).to.deep.equal({ stored: [], logged: [] })

      const again = await startWorld({ ...place, keys: `${NEW_KEYS},${KEYS}`, extra: [pacing] })
      const all = await again.gateway.get('/session/all', { admintoken: ADMIN })
      expect(all.data[0]).to.include({ Token: used.session.token })
      await again.stop()
      const without = await startWorld({ ...place, keys: NEW_KEYS, extra: [pacing] })
      const { data } = await without.gateway.get('/webhook', used.session.headers)
      expect(data.webhook).to.include('secret-in-an-address')
      await without.stop()
    })
  })
}

describe('what lies on the disk', () => {
  it('has no trace of the key of a session that was deleted', async () => {
    const dataDir = temporaryFolder()
    const world = await startWorld({ dataDir })
    const { data } = await world.gateway.post('/session/init', {}, { admintoken: ADMIN })
    const other = await world.gateway.post('/session/init', {}, { admintoken: ADMIN })
    const database = knex({
      client: 'sqlite3',
      connection: { filename: join(dataDir, 'wamux.sqlite') },
      useNullAsDefault: true,
    })
    const { key } = await database('sessions').where({ id: data.Id }).first()
    await database.destroy()
    expect(everythingIn(dataDir).includes(key)).to.equal(true)
    const gone = await world.gateway.post('/session/delete', { Token: data.Token }, { admintoken: ADMIN })
    expect(gone.success, gone.error).to.equal(true)
    expect(everythingIn(dataDir).includes(key)).to.equal(false)
    const { data: left } = await world.gateway.get('/session/all', { admintoken: ADMIN })
    expect(left.map(({ Token }: { Token: string }) => Token)).to.deep.equal([other.data.Token])
    await world.stop()
  })

  it('can not be read by a gateway with another key, which says so and starts nothing', async () => {
    const dataDir = temporaryFolder()
    const world = await startWorld({ dataDir })
    await world.gateway.post('/session/init', {}, { admintoken: ADMIN })
    await world.stop()
    const failure = await startWorld({ dataDir, keys: NEW_KEYS }).then(
      () => undefined,
      (error: Error) => error.message,
    )
    expect(failure).to.include('"k1" is missing')
  })
})

/** Tables that the traffic must have filled: an empty one would prove nothing. */
const KEPT = [
  ...['sessions', 'events', 'webhook_endpoints', 'webhook_deliveries'],
  ...['baileys_creds', 'baileys_keys', 'baileys_inbox', 'baileys_outgoing'],
  ...['chats_last', 'contacts_people', 'contacts_lists', 'messages_states', 'baileys_secrets'],
  'pacing_contacts',
]

/** Everything that could leave a trace of somebody: both ways, in groups, lists, polls, by LID, and what fails. */
async function traffic(
  world: World,
  [good, bad]: readonly [
    Awaited<ReturnType<typeof startReceiver>>,
    Awaited<ReturnType<typeof startReceiver>>,
  ],
  probe: ReturnType<typeof createProbe>,
): Promise<{ session: LinkedSession; people: string[]; secrets: string[] }> {
  const seller = await world.phone('Seller')
  const [ana, bea, carla] = [
    await world.phone('Ana-pushes'),
    await world.phone('Bea-pushes'),
    await world.phone('Carla-pushes'),
  ]
  await carla.send(seller.account.jid, { Text: 'words-that-came-in' })
  await seller.wait(({ fromMe }) => !fromMe)
  await seller.act({ Action: 'broadcastList', Participants: [ana.account.jid, carla.account.jid] })
  await seller.act({ Action: 'contact', Chat: carla.account.jid, Text: 'Carla-of-old' })
  const session = await world.linked(seller)
  await probe.synced(session)
  const mine = seller.account.phone

  const { data } = await session.post('/webhook', { WebhookURL: `${good.url}?key=secret-in-an-address` })
  const failing = await session.post('/webhook/endpoints', { URL: `${bad.url}?key=secret-in-an-address` })
  await ana.send(mine, { Text: 'words-that-came-in' })
  await good.wait(({ body }) => body.includes('words-that-came-in') && body.includes(ana.account.phone))
  await bad.wait(() => true)

  const told = async (phone: Phone, path: string, body: Record<string, unknown>): Promise<string> => {
    const { data: sent, error } = await session.post(path, body)
    expect(sent, error).to.have.property('Id')
    await phone.wait(({ id }) => id === sent.Id)
    return sent.Id
  }
  const out = await told(bea, '/send/text', { Phone: bea.account.phone, Body: 'words-that-went-out' })
  await told(ana, '/send/text', { Phone: ana.account.lid, Body: 'words-by-lid' })
  await told(carla, '/status/text', { Body: 'words-as-a-status', StatusJidList: [carla.account.phone] })
  await bea.act({ Action: 'read', Chat: mine, Id: out })
  await probe.event('ReadReceipt', ({ MessageIDs, Type }) =>
    Boolean((MessageIDs as string[]).includes(out) && Type === 'read'),
  )

  const { data: group } = await session.post('/group/create', {
    Name: 'name-of-a-group',
    Participants: [ana.account.phone, bea.account.phone],
  })
  await told(ana, '/send/text', { Phone: group.JID, Body: 'words-in-a-group' })
  const answer = await bea.send(group.JID, { Text: 'words-in-a-group' })
  await probe.event('Message', (event) => (event['Info'] as { ID: string }).ID === answer)
  const poll = await told(ana, '/send/poll', {
    Phone: ana.account.phone,
    Question: 'question-of-a-poll',
    Options: ['option-of-a-poll', 'other'],
    MaxAnswer: 1,
  })
  await ana.act({ Action: 'vote', Id: poll, Data: { Options: ['option-of-a-poll'] } })
  await probe.event('Message', (event) => event['PollVote'] !== undefined)

  for (const [phone, FullName] of [
    [ana, 'Ana-as-saved'],
    [bea, 'Bea-as-saved'],
  ] as const)
    await session.post('/contact/add', { Phone: phone.account.phone, FullName })
  await probe.event('Contact', ({ JID }) => JID === bea.account.jid)
  // What is refused, by the interface and by the network.
  await session.post('/send/text', `{"Phone":"${ana.account.phone}","Body":"words-that-were-typed-wrong`)
  await session.post('/send/text', { Phone: '4915100000009', Body: 'words-that-were-typed-wrong' })
  await world.gateway.get(`/no/such/path/${ana.account.phone}?token=${session.token}`)
  world.fault({ Phone: mine, Fault: 'refuse', Code: 463, Count: 1 })
  await session.post('/send/text', { Phone: bea.account.phone, Body: 'words-that-went-out' })
  const known = await eventually(async () => {
    const { data: contacts } = await session.get('/user/contacts')
    return contacts[bea.account.jid]?.FullName === 'Bea-as-saved' && contacts
  }, 'a known contact')
  expect(known[carla.account.jid]).to.include({ FullName: 'Carla-of-old' })

  const people = [ana, bea, carla, seller].flatMap(({ account }) => [
    account.phone,
    account.lid.split('@')[0] ?? '',
  ])
  return {
    session,
    people,
    secrets: [session.token, data.Secret, failing.data.Secret, '4915100000009'],
  }
}

/** Where a needle stands, with what is around it; '' for nowhere. */
function found(stored: Buffer, needle: string): string {
  const at = stored.indexOf(needle)
  return at < 0 ? '' : stored.subarray(Math.max(0, at - 80), at + 80).toString('latin1')
}

function everythingIn(folder: string): Buffer {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name))
  return Buffer.concat(files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file)))
}

type Place = ReturnType<(typeof engines)[number]['fresh']>

/** All columns of all tables, as bytes: of a database that is not in the folder this is its copy. */
async function everyRow(place: Place): Promise<Buffer> {
  const parts: Buffer[] = []
  await eachTable(place, async (table, read) => {
    for (const row of await read(table))
      for (const value of Object.values(row as Record<string, unknown>))
        parts.push(Buffer.isBuffer(value) ? value : Buffer.from(`\n${String(value)}`))
  })
  return Buffer.concat(parts)
}

async function rowCounts(place: Place): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  await eachTable(place, async (table, read) => {
    const row = await read(table).count({ count: '*' }).first()
    counts[table] = Number(row?.['count'])
  })
  return counts
}

async function eachTable(place: Place, work: (table: string, read: Knex) => Promise<void>): Promise<void> {
  const { dataDir, databaseUrl: url, databaseSchema: schema } = place
  const database = await openDatabase({ dataDir, url, schema })
  try {
    const named =
      database.dialect === 'sqlite'
        ? database.read('sqlite_master').where({ type: 'table' }).select('name')
        : database.read('pg_tables').where({ schemaname: schema }).select({ name: 'tablename' })
    for (const { name } of await named) await work(String(name), database.read)
  } finally {
    await database.close()
  }
}
