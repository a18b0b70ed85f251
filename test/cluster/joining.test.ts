import { expect } from 'chai'
import type { Phone } from '../../plugins/sandbox/phone/phone.ts'
import { connected } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import type { TestGateway } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { admin, type LinkedSession, linkPhone, sessionOf } from '../support/sessions.ts'
import { clusterDatabase, startNode } from './nodes.ts'

describe('a node that joins', () => {
  let database: ReturnType<typeof clusterDatabase>
  let look: ReturnType<typeof connected>
  let loose: LooseNetwork
  let first: TestGateway
  let second: TestGateway
  let linked: LinkedSession
  let peer: Phone
  const linking: { Id: string; Token: string }[] = []

  before(async function () {
    database = clusterDatabase()
    if (!database) return this.skip()
    look = connected(database.databaseUrl)
    loose = await startNetwork()
    const node = { card: loose.card, database }
    first = await startNode({ name: 'a', ...node })
    peer = await loose.phones.create({ name: 'Peer' })
    // Its share is three of six, and it may have two more: one has to move, by rights that which was silent for longest.
    for (const name of ['1', '2', '3', '4', '5']) linking.push(await scanned(name))
    linked = await linkPhone(first, await loose.phones.create({ name: 'Ana' }))
    second = await startNode({ name: 'b', ...node })
  })
  after(async () => {
    await Promise.all([first?.stop(), second?.stop()])
    await loose?.network.close()
    await look?.destroy()
  })

  /** A session that shows its QR. */
  async function scanned(Name: string): Promise<{ Id: string; Token: string }> {
    const { data } = await first.post('/session/init', { Name }, admin)
    await first.post('/session/connect', {}, { token: data.Token })
    await eventually(async () => (await codeOf(data)) !== undefined, `the QR of ${Name}`)
    return data
  }
  const codeOf = async ({ Token }: { Token: string }): Promise<string | undefined> =>
    (await first.get('/session/qr', { token: Token })).data?.QRCode
  const leases = () => look.withSchema(database?.databaseSchema ?? '').table('cluster_leases')
  const ownersOf = async (): Promise<Map<string, string>> => {
    const rows: { session: string; node: string }[] = await leases().select('session', 'node')
    return new Map(rows.map(({ session, node }) => [session, node]))
  }

  it('is given a session that is linked, and none that a person is linking', async () => {
    const before = await ownersOf()
    const [waiting] = linking
    const owner = before.get(waiting?.Id ?? '')
    await eventually(async () => [...(await ownersOf()).values()].some((node) => node !== owner), 'one moved')
    const owners = await ownersOf()
    for (const { Id } of linking) expect(owners.get(Id)).to.equal(owner)
    await sessionOf(second, linked.token, linked.phone).status({ LoggedIn: true })
  })

  it('takes a session without an error in the log of the node that had it', async () => {
    // As when its lease has ended while it was stopped: it learns of it from the database.
    const { data } = await first.get('/session/all', admin)
    const { Id } = data.find(({ Token }: { Token: string }) => Token === linked.token)
    await leases().where({ session: Id }).increment('epoch', 1)
    await peer.send(linked.phone.account.jid, { Text: 'hello' })
    const said = () =>
      second.lines.map((line) => JSON.parse(line)).filter(({ msg }) => /link closed/.test(msg))
    const [line] = await eventually(() => said().length > 0 && said(), 'the end of the link')
    expect(line).to.include({ level: 30 })
    expect(errorsOf(second)).to.deep.equal([])
  })

  it('takes a session whose link ends meanwhile, also without an error', async () => {
    await sessionOf(second, linked.token, linked.phone).status({ LoggedIn: true })
    const { data } = await first.get('/session/all', admin)
    const { Id } = data.find(({ Token }: { Token: string }) => Token === linked.token)
    const owners = await ownersOf()
    const owner = owners.get(Id) === owners.get(linking[0]?.Id ?? '') ? first : second
    // It may also see first that its lease is gone.
    const ended = () => owner.lines.filter((text) => JSON.parse(text).msg === 'session closed').length
    const before = ended()
    await leases().where({ session: Id }).increment('epoch', 1)
    loose.network.fault({ Phone: linked.phone.account.phone, Fault: 'drop' })
    await eventually(() => ended() > before, 'the end of the link')
    await sessionOf(second, linked.token, linked.phone).status({ LoggedIn: true })
    expect(errorsOf(owner)).to.deep.equal([])
  })
})

function errorsOf({ lines }: TestGateway): string[] {
  return lines.filter((text) => JSON.parse(text).level >= 50)
}
