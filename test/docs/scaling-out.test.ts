import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { freePort } from '../../config/build/port.ts'
import { linkSession } from '../../plugins/sandbox/testing/sessions.ts'
import { type Place, run, type Service, serve } from '../kit/commands.ts'
import { type Calls, callsOf } from '../support/calls.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { mainOf } from '../support/process.ts'
import { createPostgres, type OwnDatabase } from '../support/servers/postgres.ts'
import { type LinkedSession, sessionOf } from '../support/sessions.ts'
import { type Block, documents } from './blocks.ts'

const PAGE = 'kernel/docs/scaling-out.md'
const SERVER = process.env['TEST_DATABASE_URL'] ?? ''
const blocks = documents.find(({ file }) => file === PAGE)?.blocks ?? []

interface Node extends Place {
  readonly name: string
  readonly port: number
  service?: Service
}

/** All that differs from the page: here three nodes share a machine. */
const substituted = (
  { name, port }: Node,
  databaseUrl: string,
): readonly [theirs: string, here: string][] => [
  ['postgres://wamux:password@10.0.0.2:5432/wamux', databaseUrl],
  ['http://10.0.0.5:8080', `http://127.0.0.1:${port}`],
  ['WAMUX_CLUSTER_NAME=node-1', `WAMUX_CLUSTER_NAME=${name}`],
  ['host: 0.0.0.0', `host: 127.0.0.1\nport: ${port}`],
]

describe('the page about scaling out, as written', function () {
  this.timeout(240_000)
  let database: OwnDatabase
  let loose: LooseNetwork
  const nodes: Node[] = []
  let session: LinkedSession
  let headers: Record<string, string>

  before(async function () {
    if (!SERVER) return this.skip()
    database = await createPostgres(SERVER)
    loose = await startNetwork()
    for (const name of ['node-1', 'node-2', 'node-3']) nodes.push(await nodeIn(name, loose.card))
  })
  after(async () => {
    await Promise.all(nodes.map(({ service }) => service?.stop()))
    await loose?.network.close()
    await database?.drop()
  })

  const [make, configure, start, look, ...more] = blocks
  const textOf = (block: Block | undefined, node: Node): string =>
    substituted(node, database.url).reduce(
      (text, [theirs, here]) => text.replaceAll(theirs, here),
      block?.text ?? '',
    )
  const callsTo = ({ port }: Node): Calls => callsOf({ url: `http://127.0.0.1:${port}` })
  const live = (): Node[] => nodes.filter(({ service }) => service)

  it('has these blocks and no others, and everything that is replaced in them', () => {
    expect(more).to.deep.equal([])
    expect([make, configure, start, look].map((block) => block?.language)).to.deep.equal([
      ...['sh', 'yaml', 'sh', 'sh'],
    ])
    const all = blocks.map(({ text }) => text).join('\n')
    for (const [theirs] of substituted(nodes[0] as Node, '')) expect(all).to.include(theirs)
  })

  it('gives three nodes that are ready', async () => {
    const [first] = nodes as [Node]
    await run(textOf(make, first), first)
    await Promise.all(
      nodes.map(async (node) => {
        if (node !== first) cpSync(join(first.cwd, 'secrets'), join(node.cwd, 'secrets'), { recursive: true })
        writeFileSync(join(node.cwd, 'wamux.yaml'), textOf(configure, node))
        writeFileSync(join(node.cwd, 'start.sh'), textOf(start, node))
        node.service = await serve('bash start.sh', node)
      }),
    )
    headers = { admintoken: readFileSync(join(first.cwd, 'secrets/admin-token'), 'utf8').trim() }
    for (const node of nodes) {
      const text = textOf(start, node).replace(/^wamux start$/m, textOf(look, node))
      const printed = await run(text, node)
      expect(printed).to.include('"Ready":true')
      for (const { name } of nodes) expect(printed).to.match(new RegExp(`^${name} +ready `, 'm'))
    }
  })

  it('… which answer for a session, whichever of them is asked', async () => {
    const phone = await loose.phones.create({ name: 'Ana' })
    const link = async ({ get }: LinkedSession) => phone.scan((await get('/session/qr')).data.QRCode)
    session = await linkSession(callsTo(nodes[0] as Node), headers, phone, { link })
    await arrivesFromEach()
  })

  it('… and serve it when the one that served it is stopped', async () => {
    const { data } = await callsTo(nodes[0] as Node).get('/server/nodes', headers)
    const { Name } = data.find(({ Sessions }: { Sessions: number }) => Sessions === 1)
    const owner = nodes.find(({ name }) => name === Name) as Node
    await owner.service?.stop()
    delete owner.service
    expect(live()).to.have.length(2)
    for (const node of live())
      await sessionOf(callsTo(node), session.token, session.phone).status({ LoggedIn: true })
    await arrivesFromEach()
  })

  async function arrivesFromEach(): Promise<void> {
    const peer = await loose.phones.create({ name: 'Peer' })
    for (const node of live()) {
      const body = { Phone: peer.account.phone, Body: `through ${node.name}` }
      const sent = await callsTo(node).post('/send/text', body, { token: session.token })
      expect(sent, sent.error).to.include({ status: 200 })
    }
    await eventually(() => peer.messages().length === live().length, 'a message through each on the phone')
  }
})

/** A folder of its own, in which `wamux` is this checkout's. */
async function nodeIn(name: string, card: string): Promise<Node> {
  const cwd = temporaryFolder()
  const bin = join(temporaryFolder(), 'bin')
  mkdirSync(bin)
  const words = [process.execPath, ...mainOf()].map((word) =>
    word === 'tsx' ? fileURLToPath(import.meta.resolve('tsx')) : word,
  )
  const script = `#!/bin/sh\nexec ${words.map((word) => `'${word}'`).join(' ')} "$@"\n`
  writeFileSync(join(bin, 'wamux'), script, { mode: 0o755 })
  const env = {
    PATH: `${bin}:${process.env['PATH'] ?? ''}`,
    // WhatsApp's network.
    WAMUX_BAILEYS_NETWORK: card,
  }
  return { name, port: await freePort(), cwd, env }
}
