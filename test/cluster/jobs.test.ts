import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../../config/build/port.ts'
import { temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { KEYS } from '../support/gateway.ts'
import { type LooseNetwork, startNetwork } from '../support/network.ts'
import { type GatewayProcess, startProcess } from '../support/process.ts'
import { createPostgres, type OwnDatabase } from '../support/servers/postgres.ts'
import { admin, type LinkedSession, linkPhone, sessionOf } from '../support/sessions.ts'
import { SECRET } from './nodes.ts'

interface Done {
  node: string
  at: number
  tick?: true
  job?: string
  session?: string
}

const LEASE_MS = 3_000

describe('jobs and settings on three nodes', () => {
  const folder = temporaryFolder()
  const file = join(folder, 'done')
  const nodes = new Map<string, GatewayProcess>()
  let loose: LooseNetwork
  let database: OwnDatabase
  let session: LinkedSession
  let id: string

  before(async function () {
    const server = process.env['TEST_DATABASE_URL']
    if (!server) return this.skip()
    database = await createPostgres(server)
    loose = await startNetwork()
    const config = join(folder, 'wamux.json')
    const plugins = { cluster: true, [resolve('test/cluster/worker.js')]: true }
    writeFileSync(config, JSON.stringify({ plugins }))
    for (const name of ['a', 'b', 'c']) {
      const port = String(await freePort())
      const own = {
        WAMUX_PORT: port,
        WAMUX_CLUSTER_NAME: name,
        WAMUX_CLUSTER_URL: `http://127.0.0.1:${port}`,
        WAMUX_DATA_DIR: temporaryFolder(),
      }
      nodes.set(name, await startProcess({ ...own, ...common(config) }))
      // The first one runs the tasks and the session.
      if (name !== 'a') continue
      session = await linkPhone(node('a'), await loose.phones.create({ name: 'Shop' }))
      const all = await node('a').get('/session/all', admin)
      id = all.data[0].Id
    }
  })
  after(async () => {
    await Promise.all([...nodes.values()].map((node) => node.end('SIGKILL')))
    await loose?.network.close()
    await database?.drop()
  })

  const common = (config: string) => ({
    WAMUX_CONFIG: config,
    WAMUX_KEYS: KEYS,
    WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    WAMUX_BAILEYS_NETWORK: loose.card,
    WAMUX_CLUSTER_SECRET: SECRET,
    WAMUX_CLUSTER_LEASE_MS: String(LEASE_MS),
    DATABASE_URL: database.url,
    WORKER_FILE: file,
  })
  const node = (name: string): GatewayProcess => nodes.get(name) as GatewayProcess
  const done = (): Done[] =>
    existsSync(file)
      ? readFileSync(file, 'utf8')
          .split('\n')
          .filter(Boolean)
          .map((line) => JSON.parse(line) as Done)
      : []
  const ticks = (since = 0) => done().filter(({ tick, at }) => tick && at > since)
  const jobs = () => done().filter(({ job }) => job)

  it('run a schedule on one node, each time once', async () => {
    await eventually(() => ticks().length >= 3, 'three ticks', { progress: () => ticks().length })
    expect(new Set(ticks().map((one) => one.node))).to.deep.equal(new Set(['a']))
    expect(twice(ticks())).to.deep.equal([])
  })

  it('lose no job and double no tick when the node that ran them is killed', async () => {
    const ids = (of: string) => Array.from({ length: 10 }, (_, i) => `${of} ${i}`)
    writeFileSync(`${file}.held`, '')
    const settings = { headers: session.headers, body: { Values: { word: 'kept' } } }
    expect(await node('b').call('PUT', '/session/settings/worker', settings)).to.include({ status: 200 })
    for (const name of ['a', 'b', 'c']) {
      const ofAll = await node(name).post('/worker/jobs', { Ids: ids(name) }, admin)
      expect(ofAll.status, ofAll.error).to.equal(200)
      await node(name).post('/worker/jobs', { Ids: ids(`of the session ${name}`), Session: id }, admin)
    }
    expect(jobs()).to.deep.equal([])
    await node('a').end('SIGKILL')
    nodes.delete('a')
    const killed = Date.now()
    rmSync(`${file}.held`)
    await eventually(() => jobs().length >= 60, 'all jobs', { progress: () => jobs().length })
    const names = jobs().map(({ job }) => job)
    expect(new Set(names)).to.have.property('size', 60)
    expect(names, 'none was handled twice').to.have.length(60)
    for (const { node } of jobs()) expect(node).to.be.oneOf(['b', 'c'])
    const ofSession = jobs().filter((one) => one.session === id)
    expect(new Set(ofSession.map((one) => one.node)), 'by the node that serves the session').to.have.property(
      'size',
      1,
    )
    await eventually(() => ticks(killed).length >= 2, 'it ticks again', { progress: () => ticks().length })
    expect(new Set(ticks(killed).map((one) => one.node)), 'on one node').to.have.property('size', 1)
    expect(twice(ticks())).to.deep.equal([])
  })

  it('have the settings of a session on the node that serves it next', async () => {
    for (const name of ['b', 'c']) {
      const of = sessionOf(node(name), session.token, session.phone)
      const shown = await eventually(async () => {
        const { data } = await of.get('/session/settings/worker')
        return data?.Values
      }, `${name} answers`)
      expect(shown, name).to.deep.equal({ word: 'kept' })
    }
  })
})

/** Seconds in which a schedule ran more than once. */
function twice(ticks: readonly Done[]): number[] {
  const seconds = ticks.map(({ at }) => Math.floor(at / 1_000))
  return seconds.filter((second, i) => seconds.indexOf(second) !== i)
}
