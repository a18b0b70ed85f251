import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Knex } from 'knex'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { clusterDatabase, startNode } from '../../cluster/nodes.ts'
import { connected } from '../../support/databases.ts'
import type { TestGateway } from '../../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'
import { admin, type LinkedSession, linkPhone } from '../../support/sessions.ts'

const LEASE_MS = 5_000
/** Two leases: whoever waits for it loses everything that it must renew. */
const HELD_MS = 2 * LEASE_MS

/** Each row that the gateway locks for one session, or for one node. */
const LOCKS: readonly (readonly [string, string])[] = [
  ['lease of a session', 'SELECT 1 FROM cluster_leases WHERE session = :locked FOR UPDATE'],
  [
    'lease of a session, as by a transaction of its owner',
    'SELECT 1 FROM cluster_leases WHERE session = :locked FOR SHARE',
  ],
  ['row of a session', 'SELECT 1 FROM sessions WHERE id = :locked FOR UPDATE'],
  ['rows of the nodes', 'SELECT 1 FROM cluster_nodes FOR UPDATE'],
  ['renewals of the nodes', 'SELECT 1 FROM cluster_renewals FOR UPDATE'],
  ['keys of a session', 'SELECT 1 FROM baileys_keys WHERE session = :locked FOR UPDATE'],
  ['credentials of a session', 'SELECT 1 FROM baileys_creds WHERE session = :locked FOR UPDATE'],
  ['outbox of a session', 'SELECT 1 FROM baileys_outgoing WHERE session = :locked FOR UPDATE'],
  ['events of a session', 'SELECT 1 FROM events WHERE session = :locked FOR UPDATE'],
  ['cursors of a session', 'SELECT 1 FROM cursors WHERE session = :locked FOR UPDATE'],
]

describe('a lock that is held for two leases', () => {
  const database = clusterDatabase()
  let loose: LooseNetwork
  let node: TestGateway
  let other: TestGateway
  let look: Knex
  let peer: Phone
  const sessions: (LinkedSession & { id: string })[] = []

  before(async function () {
    if (!database) return this.skip()
    look = connected(database.databaseUrl)
    loose = await startNetwork()
    node = await startNode({ name: 'a', card: loose.card, database, leaseMs: LEASE_MS })
    peer = await loose.phones.create({ name: 'Peer' })
    for (const name of ['Ana', 'Ben', 'Cid']) {
      const session = await linkPhone(node, await loose.phones.create({ name }))
      const { data } = await node.get('/session/all', admin)
      const { Id } = data.find(({ Name }: { Name: string }) => Name === name)
      sessions.push({ ...session, id: String(Id) })
    }
    other = await startNode({ name: 'b', card: loose.card, database, leaseMs: LEASE_MS })
  })
  after(async () => {
    await Promise.all([node?.stop(), other?.stop()])
    await loose?.network.close()
    await look?.destroy()
  })

  const leases = async (): Promise<unknown[]> => {
    const [locked] = sessions
    const rows = await look
      .withSchema(database?.databaseSchema ?? '')
      .from('cluster_leases')
      .whereNot({ session: locked?.id })
      .orderBy('session')
      .select('session', 'node', 'epoch')
    return rows
  }

  for (const [name, sql] of LOCKS)
    it(`on the ${name} leaves the other sessions where they are, and served`, async () => {
      const [locked, ...others] = sessions
      const before = await leases()
      await look.transaction(async (trx) => {
        await trx.raw('SET LOCAL search_path = ??', [database?.databaseSchema ?? ''])
        const { rows } = await trx.raw(sql, { locked: locked?.id ?? '' } as never)
        expect(rows.length, 'locked rows').to.be.above(0)
        const until = performance.now() + HELD_MS
        while (performance.now() < until) {
          // Answered late or not at all: only what happens to the others counts.
          const own = { Phone: peer.account.phone, Body: 'locked' }
          void node.post('/send/text', own, { token: locked?.token ?? '' }).catch(() => undefined)
          for (const { token } of others)
            for (const asked of [node, other]) {
              const began = performance.now()
              const sent = await asked.post(
                '/send/text',
                { Phone: peer.account.phone, Body: 'free' },
                { token },
              )
              expect(sent, sent.error).to.include({ status: 200 })
              expect(performance.now() - began).to.be.below(LEASE_MS)
            }
          await sleep(100)
        }
      })
      expect(await leases()).to.deep.equal(before)
    })
})
