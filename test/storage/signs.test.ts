import { execFileSync } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../config/load.ts'
import { everyEngine, temporaryFolder } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { type TestGateway, testGateway } from '../support/gateway.ts'
import { isWhole, whole } from '../support/run/whole.ts'
import { admin, openShop, type Shop } from '../support/world.ts'
import { startPostgresProxy } from './postgres-proxy.ts'
import { fill } from './troubles.ts'

const PAGE = 'kernel/docs/operate.md'
const SIGNS = ['GET /server/ready', 'GET /metrics', 'log', 'a send'] as const
type Sign = (typeof SIGNS)[number]

/** What each sign must hold, by the words of the page's table: every piece of code of a cell. */
function readTable(): Map<string, Record<Sign, string[]>> {
  const text = readFileSync(PAGE, 'utf8')
  const [, head = '', body = ''] = /^\| (trouble \|.*)\|\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(text) ?? []
  expect(head.split('|').map((cell) => cell.trim().replaceAll('`', ''))).to.deep.equal(['trouble', ...SIGNS])
  return new Map(
    body
      .trim()
      .split('\n')
      .map((line) => {
        const [trouble = '', ...cells] = line.split('|').slice(1, -1)
        const codes = cells.map((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code))
        return [trouble.trim(), Object.fromEntries(SIGNS.map((sign, at) => [sign, codes[at]]))] as [
          string,
          Record<Sign, string[]>,
        ]
      }),
  )
}

/** What an operator and a client see now; the lines of the log are those after `from`. */
async function look(
  gateway: TestGateway,
  from: number,
  send: { headers: { token: string }; Phone: string },
): Promise<Record<Sign, string>> {
  const { Phone, headers } = send
  const sent = await gateway.post('/send/text', { Phone, Body: 'x' }, headers)
  const ready = await gateway.get('/server/ready')
  const metrics = await fetch(`${gateway.url}/metrics`, { headers: admin })
  return {
    'GET /server/ready': `${ready.status} ${ready.error ?? ''}`,
    'GET /metrics': `${metrics.status} ${await metrics.text()}`,
    log: gateway.lines.slice(from).join('\n'),
    'a send': `${sent.status} ${sent.error ?? ''}`,
  }
}

describe(`the signs of trouble in ${PAGE}`, () => {
  const table = readTable()
  const tried = new Set<string>()

  async function shows(trouble: string, seen: () => Promise<Record<Sign, string>>): Promise<void> {
    const row = table.get(trouble)
    if (!row) throw new Error(`the table has no row "${trouble}"`)
    tried.add(trouble)
    await eventually(async () => {
      const signs = await seen()
      for (const sign of SIGNS) for (const code of row[sign]) expect(signs[sign], sign).to.include(code)
      return true
    }, `as the table says: ${trouble}`)
  }

  /** The signs of a shop, before the trouble, during it and after it. */
  async function drive(shop: Shop, trouble: string, strike: () => void, heal: () => void): Promise<void> {
    const { world, session, ana } = shop
    const send = { headers: session.headers, Phone: ana.account.phone }
    let from = 0
    const seen = () => look(world.gateway, from, send)
    await shows('none', seen)
    from = world.gateway.lines.length
    strike()
    await shows(trouble, seen)
    from = world.gateway.lines.length
    heal()
    await shows('over', seen)
  }

  it('database gone, and back', async function () {
    const postgres = everyEngine.find(({ name }) => name === 'PostgreSQL')
    if (!postgres) return this.skip()
    const { databaseUrl = '', ...place } = postgres.fresh()
    const proxy = await startPostgresProxy(databaseUrl)
    const shop = await openShop({ databaseUrl: proxy.url, ...place })
    const strike = () => {
      proxy.refuse(true)
      proxy.cut()
    }
    await drive(shop, 'the database does not answer', strike, () => proxy.refuse(false))
    await shop.world.stop()
    await proxy.close()
  })

  whole.it('disk full, and emptied', async function () {
    const dataDir = temporaryFolder()
    try {
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=96m', 'tmpfs', dataDir], { stdio: 'ignore' })
    } catch {
      // Only root may mount; there is no other small disk to fill.
      return this.skip()
    }
    const filler = join(dataDir, 'filler')
    const shop = await openShop({ dataDir, config: { server: { minFreeBytes: 1_000_000 } } })
    try {
      await drive(
        shop,
        'the disk is full',
        () => fill(filler),
        () => rmSync(filler),
      )
    } finally {
      await shop.world.stop()
      execFileSync('umount', ['-l', dataDir])
    }
  })

  it('driver off', async () => {
    const { plugins } = await loadConfig({}, {})
    const listed = plugins.map((entry) => {
      const { name } = (entry.plugin as { spec: { name: string } }).spec
      const config = name === 'baileys' ? { network: '/nowhere/card.json' } : entry.config
      return { ...entry, optional: true, ...(config ? { config } : {}) }
    })
    const gateway = testGateway({ plugins: listed, dataDir: temporaryFolder() })
    await gateway.start()
    const { data } = await gateway.post('/session/init', {}, admin)
    const send = { headers: { token: data.Token }, Phone: '5511999999999' }
    await shows('the driver did not start', () => look(gateway, 0, send))
    await gateway.stop()
  })

  after(function () {
    // Some can't be made on every machine.
    const isEach = this.test?.parent?.tests.every((one) => !one.isPending())
    if (tried.size > 0 && isWhole && isEach) expect([...table.keys()]).to.have.members([...tried])
  })
})
