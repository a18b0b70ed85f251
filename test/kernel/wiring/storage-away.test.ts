import { expect } from 'chai'
import { loadConfig } from '../../../config/load.ts'
import { definePlugin } from '../../../kernel/plugin.ts'
import type { Listed } from '../../../kernel/wiring/prepare.ts'
import { type PostgresProxy, startPostgresProxy } from '../../storage/postgres-proxy.ts'
import { everyEngine } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type TestGateway, testGateway } from '../../support/gateway.ts'
import { isWhole } from '../../support/run/whole.ts'

const engine = everyEngine.find(({ name }) => name === 'PostgreSQL')
const FOREVER = Number.POSITIVE_INFINITY

describe('a database that is away while the gateway starts', () => {
  let proxy: PostgresProxy
  let place: ReturnType<NonNullable<typeof engine>['fresh']>
  let plugins: readonly Listed[]
  before(async function () {
    if (!engine) return this.skip()
    ;({ plugins } = await loadConfig({}, {}))
  })
  beforeEach(async () => {
    const { databaseUrl = '', ...rest } = engine?.fresh() ?? { dataDir: '' }
    proxy = await startPostgresProxy(databaseUrl)
    place = { ...rest, databaseUrl: proxy.url }
  })
  afterEach(() => proxy?.close())

  const waits = (gateway: TestGateway): string[] =>
    gateway.lines.filter((line) => /does not answer/.test(line))
  const refusalOf = (start: Promise<unknown>): Promise<Error & { code?: string }> =>
    start.then(
      () => new Error('it started'),
      (error: Error) => error,
    )

  // In the lock, in the migrations of the kernel and of plugins, in the setup of plugins.
  for (const bytes of isWhole ? [100, 3_000, 12_000, 30_000] : [12_000]) {
    it(`is waited for, where connections are cut after ${bytes} bytes, and no plugin is blamed`, async () => {
      proxy.cutAfter(bytes, true)
      const gateway = testGateway({ plugins, ...place })
      const started = gateway.start()
      await eventually(() => waits(gateway).length > 1, 'waiting, with a line each time')
      proxy.cutAfter(FOREVER, true)
      await started
      expect(await gateway.get('/server/ok')).to.include({ status: 200 })
      expect(gateway.lines.filter((line) => /plugin failed|optional/.test(line))).to.deep.equal([])
      await gateway.stop()
    })
  }

  it('ends the start once its time is over, and the error says what was wrong', async () => {
    proxy.refuse(true)
    const gateway = testGateway({ plugins, ...place, storageSeconds: 0.5 })
    const refusal = await refusalOf(gateway.start())
    expect(refusal).to.have.property('code', 'START_FAILED')
    expect(refusal.message).to.match(/the database did not answer within 0.5 s: .*(ECONNRESET|terminated)/)
    expect(waits(gateway)).to.have.length.greaterThan(0)
  })

  it('is no reason to go on without an optional plugin', async () => {
    let setups = 0
    const crm = definePlugin({
      name: 'crm',
      version: '1.0.0',
      api: '^1.0.0',
      async setup({ db }) {
        setups += 1
        if (setups === 1) {
          proxy.refuse(true)
          proxy.cut()
        }
        // As a plugin may word it.
        await db.read.raw('SELECT 1').catch((cause: unknown) => {
          throw new Error('no customers', { cause })
        })
      },
    })
    const gateway = testGateway({ plugins: [...plugins, { plugin: crm, optional: true }], ...place })
    const started = gateway.start()
    await eventually(() => waits(gateway).length > 0, 'waiting')
    proxy.refuse(false)
    await started
    const { plugins: listed } = gateway.describe()
    expect(listed.find(({ name }) => name === 'crm')).to.include({ state: 'ready' })
    expect(setups).to.equal(2)
    await gateway.stop()
  })

  it('is not taken for a slow plugin where it is silent', async () => {
    const crm = definePlugin({
      name: 'crm',
      version: '1.0.0',
      api: '^1.0.0',
      async setup({ db }) {
        if (waits(gateway).length === 0) proxy.hold(true)
        await db.read.raw('SELECT 1')
      },
    })
    const gateway = testGateway({
      plugins: [{ plugin: crm }],
      ...place,
      pluginTimeouts: { setup: 0.5, close: 0.5 },
    })
    const started = gateway.start()
    // It must be closed before it can be opened again, and is silent then, too.
    const isClosing = () => gateway.lines.some((line) => /"database".*still stopping/.test(line))
    await eventually(isClosing, 'the silent database is being closed')
    proxy.hold(false)
    await started
    expect(waits(gateway)).to.have.length.greaterThan(0)
    expect(gateway.lines.filter((line) => /plugin failed/.test(line))).to.deep.equal([])
    await gateway.stop()
  })

  it('is not waited for where it refuses the user or does not exist', async () => {
    const url = new URL(place.databaseUrl ?? '')
    url.pathname = '/no_such_database'
    const began = performance.now()
    const refusal = await refusalOf(testGateway({ plugins, ...place, databaseUrl: url.toString() }).start())
    expect(refusal.message).to.match(/no_such_database.*does not exist/)
    expect(performance.now() - began).to.be.below(5_000)
  })

  it('is not waited for any more when the gateway is stopped meanwhile', async () => {
    proxy.refuse(true)
    const gateway = testGateway({ plugins, ...place })
    const refusal = refusalOf(gateway.start())
    await eventually(() => waits(gateway).length > 0, 'waiting')
    await gateway.stop()
    expect(await refusal).to.have.property('code', 'STOPPING')
  })
})
