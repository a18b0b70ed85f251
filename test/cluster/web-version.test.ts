import { expect } from 'chai'
import type { Knex } from 'knex'
import {
  BUILT_IN,
  HOUR_MS,
  type Login,
  openBeside,
  openVersionShop,
  version,
} from '../plugins/baileys/web-version/shop.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { sized, whole } from '../support/run/whole.ts'
import { admin, type LinkedSession, linkPhone } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

const COUNT = sized(40, 3)
const SPREAD_MS = sized(30_000, 1_000)
const FLOOR = BUILT_IN + 500_000
const RELEASED = FLOOR + 5

interface Fleet {
  loose: LooseNetwork
  database: Knex
  sessions: readonly LinkedSession[]
}

/** The network refuses the version of all links, which are cut; the gateway gets no request but for states. */
async function assertOpenAgain({ loose, database, sessions }: Fleet): Promise<void> {
  const logins = () => loose.network.view()['Logins'] as Login[]
  const asked = () => (loose.network.view()['Counters'] as Record<string, number>)['serviceWorkers'] ?? 0
  await database('baileys_web_version').update({ began: database.raw('began - ?', [HOUR_MS]) })
  const [before, askedBefore] = [Date.now(), asked()]
  loose.network.fault({ Fault: 'outdated', Below: FLOOR })
  loose.network.fault({ Fault: 'release', Revision: RELEASED })
  loose.network.fault({ Fault: 'down' })
  loose.network.fault({ Fault: 'up' })
  const later = () => logins().filter(({ At }) => Date.parse(At) >= before)
  const letIn = () => later().filter(({ Refused }) => Refused === '')
  await eventually(() => letIn().length >= sessions.length, 'each session let in', {
    progress: () => later().length,
    quietMs: 90_000,
  })
  for (const session of sessions) await session.status({ State: 'open' })
  expect(letIn().map(({ AppVersion }) => AppVersion)).to.deep.equal(
    Array(sessions.length).fill(version(RELEASED)),
  )
  expect(new Set(letIn().map(({ Phone }) => Phone)).size, 'sessions').to.equal(sessions.length)
  expect(later().length, 'refused once each').to.equal(2 * sessions.length)
  const seconds = letIn().map(({ At }) => Math.floor(Date.parse(At) / 1000))
  expect(new Set(seconds).size, `logins in the seconds ${seconds}`).to.equal(sessions.length)
  expect(asked(), 'look-ups').to.equal(askedBefore + 1)
}

describe('links of a version that WhatsApp refuses', function () {
  this.timeout(600_000)

  whole.it(`are opened again with the current one by one node: ${COUNT} sessions`, async () => {
    const shop = await openVersionShop({ settings: { outdatedSpreadMs: SPREAD_MS } })
    const sessions: LinkedSession[] = []
    for (let i = 0; i < COUNT; i += 1) sessions.push(await shop.link(`S${i}`))
    await assertOpenAgain({ loose: shop.loose, database: shop.database, sessions })
    await shop.stop()
  })

  it(`are opened again with the current one by three nodes: at least ${COUNT} sessions`, async function () {
    const place = clusterDatabase()
    if (!place) return this.skip()
    const loose = await startNetwork()
    const database = openBeside({ dataDir: temporaryFolder(), ...place })
    const driver = { outdatedSpreadMs: SPREAD_MS, webVersionCheckMs: 100 }
    const nodes: TestGateway[] = []
    for (const name of ['a', 'b', 'c'])
      nodes.push(await startNode({ name, card: loose.card, database: place, driver, leaseMs: 15_000 }))
    const [first] = nodes as [TestGateway]
    const sessions: LinkedSession[] = []
    const servesNone = (node: TestGateway) => !ids.some(node.service('ownership').owns)
    let ids: string[] = []
    // A session may be claimed by another node than the one that made it.
    for (let i = 0; i < COUNT || nodes.some(servesNone); i += 1) {
      expect(i, 'sessions until each node serves one').to.be.below(COUNT + 9)
      const node = nodes.find(servesNone) ?? nodes[i % 3] ?? first
      sessions.push(await linkPhone(node, await loose.phones.create({ name: `S${i}` })))
      const { data } = await first.get('/session/all', admin)
      ids = data.map(({ Id }: { Id: string }) => Id)
    }
    await assertOpenAgain({ loose, database, sessions })
    await Promise.all(nodes.map((node) => node.stop()))
    await database.destroy()
    await loose.network.close()
  })
})
