import { expect } from 'chai'
import knex from 'knex'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { createVault } from '../../../kernel/vault/vault.ts'
import { engines } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { KEYS } from '../../support/gateway.ts'
import { startWorld, type World } from '../../support/world.ts'

describe('link', () => {
  let world: World
  const { dataDir } = engines[0]?.fresh() ?? { dataDir: '' }
  before(async () => {
    world = await startWorld({ dataDir, config: { baileys: { keepAliveMs: 1000 } } })
  })
  after(() => world.stop())

  /** Waits until `check` holds; fails once a counter of the network has moved on by more than `steps`. */
  async function withinSteps(steps: number, counter: string, check: () => Promise<boolean>): Promise<void> {
    const count = () => world.counters()[counter] ?? 0
    const limit = count() + steps
    while (!(await check())) {
      expect(count(), counter).to.be.at.most(limit)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  it('reconnects when its last stanza is too old', async () => {
    const session = await world.linked(await world.phone('Ana'))
    const { phone } = session.phone.account
    const isLoggedIn = async () => (await session.get('/session/status')).data.LoggedIn === true
    world.fault({ Phone: phone, Fault: 'silent' })
    // One ping a second goes unanswered; the link may be silent for the time between two pings and 5 s more.
    await withinSteps(30, 'stanzasIn', async () => !(await isLoggedIn()))
    const { data } = await session.get('/session/status')
    expect(data.State).to.be.oneOf(['waiting', 'connecting'])
    world.fault({ Phone: phone, Fault: 'clear' })
    // A link that logged in during the silence waits for the answers to its first queries until they time out.
    world.fault({ Phone: phone, Fault: 'drop' })
    await withinSteps(5, 'logins', isLoggedIn)
  })

  it('is not tracked once it has closed on its own and was opened again', async () => {
    const session = await world.linked(await world.phone('Dora'))
    const logins = world.counters()['logins'] ?? 0
    world.fault({ Phone: session.phone.account.phone, Fault: 'drop' })
    await eventually(() => (world.counters()['logins'] ?? 0) > logins, 'the link is back')
    await session.status({ LoggedIn: true })
    // The instance that the gateway uses.
    const { trackedLinks } = await import('../../../plugins/baileys/patches/timers.ts')
    await eventually(() => trackedLinks() === 0, 'the link is no longer tracked')
  })

  it('reads the history of a phone, inline and from the media host', async () => {
    const phone = await world.phone('Bea')
    const other = await world.phone('Caio')
    await other.send(phone.account.phone, { Text: 'from before the link' })
    await phone.wait(({ raw }) => raw.conversation === 'from before the link')
    const session = await world.linked(phone)
    const { phones } = world.gateway.service('sandbox')
    const receipts = () =>
      (phones.get(phone.account.phone).view()['Companions'] as { Waiting: number }[])[0]?.Waiting
    // Each part is receipted once it is read; a blob that can't be fetched would be requested again.
    while (receipts() !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await session.status({ LoggedIn: true })
    expect(world.counters()).to.include({ retries: 0 })
    // Rows of key shares and history are closed when their results are stored; an open row would be processed again.
    const database = knex({
      client: 'sqlite3',
      connection: { filename: `${dataDir}/wamux.sqlite` },
      useNullAsDefault: true,
    })
    const open = () => database('baileys_inbox').where({ done: false })
    expect(await database('baileys_inbox')).to.have.length.greaterThan(2)
    while ((await open()).length > 0) await new Promise((resolve) => setTimeout(resolve, 20))
    await database.destroy()
  })

  it('skips no step of the sender chains of a group, and keeps no keys of skipped steps', async () => {
    const session = await world.linked(await world.phone('Davi'))
    const ana = await world.phone('Eva')
    const { JID } = await ana.act({
      Action: 'createGroup',
      Text: 'G',
      Participants: [session.phone.account.phone],
    })
    for (let i = 0; i < 20; i += 1) await session.post('/send/text', { Phone: String(JID), Body: `${i}` })
    await ana.wait(({ raw }) => raw.extendedTextMessage?.text === '19')
    for (let i = 0; i < 20; i += 1) await ana.send(String(JID), { Text: `back ${i}` })
    const texts = async () => JSON.stringify((await session.get('/events?limit=500')).data.Events)
    while (!(await texts()).includes('back 19')) await new Promise((resolve) => setTimeout(resolve, 20))
    expect(ana.failures).to.deep.equal([])
    // The first was sent while the link still looked for unfinished sends of an earlier one; it must not count as one.
    expect(world.counters()).to.include({ duplicates: 0 })
    const database = knex({
      client: 'sqlite3',
      connection: { filename: `${dataDir}/wamux.sqlite` },
      useNullAsDefault: true,
    })
    const own = await database('sessions').where({ name: 'Davi' }).first()
    const vault = createVault(openKeyring(KEYS))
    vault.restore(own.id, { kid: own.key_id, wrapped: own.key })
    const rows = await database('baileys_keys').where({ type: 'sender-key', session: own.id })
    await database.destroy()
    // The own chain and Ana's; neither skips a step.
    const skipped = rows.map(({ id, value }) => {
      const { data } = JSON.parse(vault.open(own.id, `baileys/keys/sender-key/${id}`, value).toString())
      const [state] = JSON.parse(Buffer.from(data, 'base64').toString('utf8'))
      return [state.senderChainKey.iteration, state.senderMessageKeys.length]
    })
    expect(skipped).to.deep.equal([
      [20, 0],
      [20, 0],
    ])
  })
})
