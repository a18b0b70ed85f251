import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { openSqliteFile } from '../../../../config/cli/backup/sqlite-file.ts'
import type { Phone } from '../../../../plugins/sandbox/phone/phone.ts'
import { connected, temporaryFolder } from '../../../support/databases.ts'
import { eventually } from '../../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { type GatewayProcess, startProcess } from '../../../support/process.ts'
import { createPostgres, type OwnDatabase } from '../../../support/servers/postgres.ts'
import { type Receiver, startReceiver } from '../../../support/servers/receiver.ts'
import { linkPhone, sessionOf } from '../../../support/sessions.ts'
import { wamux } from '../../../support/wamux.ts'

const SERVER = process.env['TEST_DATABASE_URL'] ?? ''

const run = SERVER ? describe : describe.skip
run('wamux db copy', function () {
  this.timeout(180_000)
  const dataDir = temporaryFolder()
  let env: Record<string, string>
  let loose: LooseNetwork
  let target: OwnDatabase
  let receiver: Receiver
  let shop: Phone
  let ana: Phone
  let token: { token: string }

  before(async () => {
    loose = await startNetwork()
    target = await createPostgres(SERVER)
    receiver = await startReceiver()
    receiver.answer(() => ({ status: 503 }))
    env = {
      WAMUX_DATA_DIR: dataDir,
      WAMUX_BAILEYS_NETWORK: loose.card,
      WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1',
    }
    shop = await loose.phones.create({ name: 'Shop' })
    ana = await loose.phones.create({ name: 'Ana' })
  })
  after(async () => {
    await receiver.close()
    await target.drop()
    await loose.network.close()
  })

  const bothWays = async (gateway: GatewayProcess, mark: string): Promise<void> => {
    const { status } = await gateway.post(
      '/send/text',
      { Phone: ana.account.phone, Body: `to Ana ${mark}` },
      token,
    )
    expect(status).to.equal(200)
    await ana.wait(({ raw }) => raw.extendedTextMessage?.text === `to Ana ${mark}`)
    const id = await ana.send(shop.account.phone, { Text: `to the shop ${mark}` })
    await eventually(
      () => ana.receipts.some((receipt) => receipt.id === id && receipt.type === 'delivered'),
      'delivered',
    )
  }

  it('takes everything to PostgreSQL: sessions, events, deliveries that are due', async () => {
    const gateway = await startProcess(env)
    token = (await linkPhone(gateway, shop)).headers
    await gateway.post('/webhook', { WebhookURL: receiver.url, Subscribe: ['Message'] }, token)
    await bothWays(gateway, 'before')
    const busy = await wamux(['db', 'copy', '--to', target.url], env)
    expect(busy.err).to.include('another wamux process already uses')
    await gateway.end('SIGTERM')

    const killed = await wamux(
      ['db', 'copy', '--to', target.url],
      { ...env, CRASH_AT: 'within:copy', CRASH_NTH: '12' },
      ['./test/crash/killer.ts'],
    )
    expect(killed.code, killed.err).to.equal('SIGKILL')
    const copied = await eventually(async () => {
      const ended = await wamux(['db', 'copy', '--to', target.url], env)
      // The server may take a moment to notice that the first one is gone.
      return !ended.err.includes('already uses') && ended
    }, 'the lock released')
    expect(copied.code, copied.err).to.equal(0)
    expect(copied.err)
      .to.match(/sessions: 1 rows, compared/)
      .and.match(/webhook_deliveries: [1-9]\d* rows, compared/)
    const again = await wamux(['db', 'copy', '--to', target.url], env)
    expect(again.err).to.include('is not empty: its table').and.include('Nothing was changed')
  })

  it('goes on there without a QR code, and delivers what was due', async () => {
    const file = await openSqliteFile(join(dataDir, 'wamux.sqlite'))
    const [{ last = 0 } = {}] = await file.all<{ last: number }>('SELECT max(seq) AS last FROM events')
    await file.close()
    const gateway = await startProcess({ ...env, DATABASE_URL: target.url })
    await sessionOf(gateway, token.token, shop).status({ LoggedIn: true })
    const due = receiver.deliveries[0]?.headers['webhook-id']
    receiver.answer(() => ({ status: 200 }))
    await receiver.wait(({ headers }) => headers['webhook-id'] === due)
    await bothWays(gateway, 'after')
    expect(ana.failures).to.deep.equal([])
    expect(loose.network.view()['Counters']).to.include({ pairings: 1 })
    await gateway.end('SIGTERM')
    const db = connected(target.url)
    try {
      const [{ least }] = (await db('events').where('seq', '>', last).min({ least: 'seq' })) as [
        { least: string },
      ]
      expect(Number(least), 'numbers go on').to.equal(last + 1)
      expect(await db('sessions').select('wanted')).to.deep.equal([{ wanted: true }])
    } finally {
      await db.destroy()
    }
  })

  it('takes it back to SQLite, and refuses what it can not copy', async () => {
    const back = temporaryFolder()
    const there = { ...env, DATABASE_URL: target.url }
    const copied = await wamux(['db', 'copy', '--to', back], there)
    expect(copied.code, copied.err).to.equal(0)
    const keys = join(dataDir, 'master-key')
    const gateway = await startProcess({ ...env, WAMUX_DATA_DIR: back, WAMUX_KEYS_FILE: keys })
    await sessionOf(gateway, token.token, shop).status({ LoggedIn: true })
    await bothWays(gateway, 'back')
    await gateway.end('SIGTERM')

    const itself = await wamux(['db', 'copy', '--to', target.url], there)
    expect(itself.err).to.include('--to is the configured database itself')
    const empty = await wamux(['db', 'copy', '--to', back], { ...env, WAMUX_DATA_DIR: temporaryFolder() })
    expect(empty.err).to.include('there is no database in')
    const off = join(temporaryFolder(), 'wamux.yaml')
    writeFileSync(off, 'plugins: { webhook: false }')
    const less = await wamux(['db', 'copy', '--to', temporaryFolder()], { ...env, WAMUX_CONFIG: off })
    expect(less.err).to.include('tables of plugins that are not enabled: webhook')
  })
})
