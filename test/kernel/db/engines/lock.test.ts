import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { openDatabase } from '../../../../kernel/db/engines/open.ts'
import { createLog } from '../../../../kernel/logging/log.ts'
import { connected, everyEngine, temporaryFolder } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { startedGateway } from '../../../support/gateway.ts'
import { startProcess } from '../../../support/process.ts'

for (const engine of everyEngine) {
  describe(`process lock on ${engine.name}`, () => {
    it('lets a second opener in only after the first has gone, and says why', async () => {
      const { databaseUrl: url, databaseSchema: schema, dataDir } = engine.fresh()
      const options = { dataDir, url, schema }
      const first = await openDatabase(options)
      const refusal = await openDatabase(options).catch((error: Error & { code?: string }) => error)
      expect(refusal).to.have.property('code', 'DATABASE_LOCKED')
      expect(refusal)
        .to.have.property('message')
        .that.includes('another wamux process')
        .and.includes(first.label)
      await first.close()
      const second = await openDatabase(options)
      await second.close()
    })
  })
}

const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')

describe('process lock on PostgreSQL', () => {
  let admin: Knex
  let place: { dataDir: string; databaseUrl: string; databaseSchema: string }
  before(function () {
    if (!postgres) return this.skip()
    admin = connected(process.env['TEST_DATABASE_URL'] ?? '')
  })
  after(() => admin?.destroy())
  beforeEach(() => {
    place = postgres?.fresh() as typeof place
  })

  /** Who has the kernel's lock on this test's schema, or waits for it. */
  const pidOf = async (isGranted: boolean): Promise<number | undefined> => {
    const { rows } = await admin.raw(
      `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted = ?
       AND classid = (hashtext('wamux')::bigint & 4294967295)::oid
       AND objid = (hashtext(?)::bigint & 4294967295)::oid`,
      [isGranted, place.databaseSchema],
    )
    return rows[0]?.pid
  }
  const terminate = async (): Promise<void> => {
    await admin.raw('SELECT pg_terminate_backend(?)', [(await pidOf(true)) ?? 0])
  }
  /** First in the queue, it has the lock the moment the gateway loses it. */
  const takeOver = async (): Promise<() => Promise<void>> => {
    const other = connected(place.databaseUrl)
    const taken = other
      .raw("SELECT pg_advisory_lock(hashtext('wamux'), hashtext(?))", [place.databaseSchema])
      .then(() => undefined)
    await eventually(() => pidOf(false), 'waiting for the lock')
    await terminate()
    await taken
    return () => other.destroy()
  }

  it('is one for a schema: another one is another database', async () => {
    const other = postgres?.fresh() as typeof place
    const open = ({ dataDir, databaseUrl: url, databaseSchema: schema }: typeof place) =>
      openDatabase({ dataDir, url, schema })
    const both = await Promise.all([open(place), open(other)])
    await Promise.all(both.map((database) => database.close()))
  })

  it('is taken again when its connection is lost, and says so in the log', async () => {
    const gateway = await startedGateway({ plugins: [], ...place })
    const old = await pidOf(true)
    await terminate()
    await eventually(() => said(gateway.lines, 'database lock acquired again'), 'locked again')
    expect(gateway.lines.join('')).to.include('database lock lost, acquiring it again')
    expect(await pidOf(true))
      .to.be.a('number')
      .and.not.equal(old)
    await gateway.stop()
    expect(await pidOf(true)).to.equal(undefined)
  })

  it('is taken again when the server has not noticed that the old connection is gone', async () => {
    const { hostname, port } = new URL(place.databaseUrl)
    const [clients, servers]: [Socket[], Socket[]] = [[], []]
    const proxy = createServer({ allowHalfOpen: true }, (client) => {
      const server = connect(Number(port || 5432), hostname)
      clients.push(client)
      client.on('data', (data) => server.write(data))
      client.on('error', () => undefined)
      server.on('data', (data) => client.destroyed || client.write(data))
      server.on('error', () => undefined)
      client.on('end', () => server.end())
      server.on('end', () => client.end())
      servers.push(server)
    })
    proxy.listen(0, '127.0.0.1')
    await once(proxy, 'listening')
    const target = new URL(place.databaseUrl)
    target.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`
    const lines: string[] = []
    const database = await openDatabase({
      dataDir: place.dataDir,
      url: target.href,
      schema: place.databaseSchema,
      log: createLog({ level: 'info', stream: { write: (line: string) => void lines.push(line) } }),
    })
    // The client's side breaks; the server's stays open, as behind a router that forgets.
    for (const client of clients) client.resetAndDestroy()
    await eventually(() => said(lines, 'database lock acquired again'), 'locked again')
    await database.close()
    await new Promise((resolve) => proxy.close(resolve))
  })

  it('stops the gateway when another one has it by then', async () => {
    let told = 0
    const gateway = await startedGateway({
      plugins: [],
      ...place,
      onLockLost: () => {
        told += 1
      },
    })
    const leave = await takeOver()
    await eventually(() => said(gateway.lines, '"stopped"'), 'stopped')
    expect(told).to.equal(1)
    expect(gateway.lines.join('')).to.include('database lock is held by another process')
    await fetch(gateway.url).then(
      () => expect.fail('it still listens'),
      () => undefined,
    )
    await leave()
  })

  it('is free when its process is killed, and ends a process whose lock another one has', async () => {
    await admin.raw('CREATE SCHEMA ??', [place.databaseSchema])
    const DATABASE_URL = `${place.databaseUrl}?options=-csearch_path%3D${place.databaseSchema}`
    const start = () =>
      startProcess({ WAMUX_DATA_DIR: temporaryFolder(), WAMUX_PROFILE: 'minimal', DATABASE_URL })
    const first = await start()
    const refusal = await start().catch(({ message }: Error) => message)
    expect(refusal).to.include('another wamux process already uses').and.include(new URL(DATABASE_URL).host)
    expect(await first.end('SIGKILL')).to.equal('SIGKILL')
    const second = await start()
    const leave = await takeOver()
    expect(await second.ended).to.deep.equal([0, null])
    // Its last words may be read after its end is known.
    await eventually(() => said(second.lines, '"stopped"'), 'stopped')
    await leave()
  })
})

/** Throws with the whole log while no line of it has these words. */
function said(lines: readonly string[], words: string): true {
  if (lines.some((line) => line.includes(words))) return true
  throw new Error(lines.join('\n'))
}
