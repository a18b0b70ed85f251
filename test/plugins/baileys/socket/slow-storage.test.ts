import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import knex, { type Knex } from 'knex'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { temporaryFolder } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { readMetrics } from '../../../support/metrics.ts'
import { createProbe } from '../../../support/probe.ts'
import { admin, type LinkedSession, startWorld, type World } from '../../../support/world.ts'

/** Some 25 a second are stored below: the last one waits for longer than 10 s, from which on a session is slow. */
const BACKLOG = 450
const MESSAGES = 1_200
/** What one read from a connection may bring beyond the bound. */
const CHUNK_BYTES = 65_536

describe('a storage that is slower than what is received', () => {
  const probe = createProbe()
  let world: World
  let database: Knex
  let session: LinkedSession
  let ana: Phone
  before(async () => {
    const dataDir = temporaryFolder()
    const config = { baileys: { keepAliveMs: 1_000, backlog: BACKLOG } }
    world = await startWorld({ dataDir, config, extra: [probe.plugin] })
    const connection = { filename: join(dataDir, 'wamux.sqlite') }
    database = knex({ client: 'sqlite3', connection, useNullAsDefault: true })
    session = await world.linked(await world.phone('Shop'))
    ana = await world.phone('Ana')
    await probe.event('Message', await sent('first'))
  })
  let end = async (): Promise<void> => undefined
  after(async () => {
    await end()
    await database.destroy()
    await world.stop()
  })

  async function sent(Text: string): Promise<(event: Record<string, unknown>) => boolean> {
    const id = await ana.send(session.phone.account.phone, { Text })
    return ({ Info }) => (Info as { ID: string }).ID === id
  }
  const metric = async (name: string): Promise<number> =>
    (await readMetrics(world.gateway.url, admin)).value(name) ?? Number.NaN

  /** Another process that writes most of the time: each commit waits for it. */
  function slowDown(): () => Promise<void> {
    let isSlow = true
    const busy = (async () => {
      const other = await database.client.acquireConnection()
      await database.raw('PRAGMA busy_timeout = 10000').connection(other)
      while (isSlow) {
        await database.raw('BEGIN IMMEDIATE').connection(other)
        await pause(1_900)
        await database.raw('COMMIT').connection(other)
        await pause(120)
      }
      database.client.releaseConnection(other)
    })()
    return async () => {
      isSlow = false
      await busy
    }
  }

  it('holds back the network, keeps the link alive, says so, and costs nothing', async () => {
    const { logins } = world.counters()
    end = slowDown()
    const ids: string[] = []
    let most = 0
    let fullAt = 0
    for (let i = 0; i < MESSAGES; i += 1) {
      ids.push(await ana.send(session.phone.account.phone, { Text: `${i}` }))
      if (i === BACKLOG) fullAt = performance.now()
      if (i % 50 === 49) most = Math.max(most, await metric('wamux_stanzas_waiting'))
    }
    const slow = await eventually(async () => {
      most = Math.max(most, await metric('wamux_stanzas_waiting'))
      const { data } = await session.get('/session/status')
      return data.Slow && data
    }, 'called slow')
    expect(slow).to.include({ State: 'open', Connected: true, LoggedIn: true })
    expect(slow.Reason).to.match(/stanzas arrive faster than they are stored: \d+ wait$/)
    expect(slow.Next).to.match(/database and the disk/)
    const issues = async () => (await world.gateway.get('/issues', admin)).data.Issues
    const [issue, ...others] = await issues()
    expect(others).to.deep.equal([])
    expect(issue).to.include({ Cause: 'session-slow', Level: 'warning', Count: 1, Screen: '/health' })
    expect(issue.Reason).to.match(/^stanzas arrive faster/)
    expect(issue.Remedy).to.match(/database and the disk/)
    expect(await metric('wamux_links_paused')).to.equal(1)
    // Each message is some 400 bytes; what is sampled may miss the peak.
    expect(most).to.be.within(BACKLOG * 0.9, BACKLOG + CHUNK_BYTES / 200)
    // Since the backlog was full: longer than a link may be silent that is read.
    await pause(Math.max(0, 7_000 - (performance.now() - fullAt)))
    expect(world.counters()).to.include({ logins })

    await end()
    const arrived = (): string[] => {
      const infos = probe
        .events('Message')
        .map(({ body }) => (body['event'] as { Info: { ID: string } }).Info.ID)
      return infos.filter((id) => ids.includes(id))
    }
    await eventually(() => arrived().length === MESSAGES, 'all are logged', {
      progress: () => arrived().length,
    })
    expect(arrived()).to.deep.equal(ids)
    const { Reason } = await session.status({ Slow: false, LoggedIn: true })
    expect(Reason).to.equal('')
    expect(await issues()).to.deep.equal([])
    expect(world.counters()).to.include({ logins })
    expect(await metric('wamux_links_paused')).to.equal(0)
    expect(await metric('wamux_stanzas_waiting')).to.equal(0)
    const lines = world.gateway.lines.map((line) => JSON.parse(line).msg)
    expect(lines.filter((msg) => /^the storage is/.test(msg))).to.deep.equal([
      'the storage is slow',
      'the storage is fast enough again',
    ])
  })
})
