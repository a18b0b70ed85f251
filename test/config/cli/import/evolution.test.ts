import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Knex } from 'knex'
import { connected, temporaryFolder } from '../../../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { startProcess } from '../../../support/process.ts'
import { createPostgres, type OwnDatabase } from '../../../support/servers/postgres.ts'
import { type OwnRedis, openTestRedis } from '../../../support/servers/redis.ts'
import { wamux } from '../../../support/wamux.ts'
import { readAuthFolder } from './folder.ts'
import { assertMoved, createMover, exchange, type Mover } from './moved.ts'
import { linkStock } from './stock.ts'

const SERVER = process.env['TEST_DATABASE_URL'] ?? ''

/** What the tables of Evolution 2.3 have, of the columns that are read. */
async function createTables(db: Knex): Promise<void> {
  await db.raw(`CREATE TABLE "Instance" ("id" TEXT PRIMARY KEY, "name" VARCHAR(255) UNIQUE NOT NULL,
    "integration" VARCHAR(100), "token" VARCHAR(255))`)
  await db.raw(
    `CREATE TABLE "Session" ("id" TEXT PRIMARY KEY, "sessionId" TEXT UNIQUE NOT NULL, "creds" TEXT)`,
  )
  await db.raw(`CREATE TABLE "Webhook" ("id" TEXT PRIMARY KEY, "url" VARCHAR(500) NOT NULL, "enabled" BOOLEAN,
    "events" JSONB, "updatedAt" TIMESTAMP NOT NULL, "instanceId" TEXT UNIQUE NOT NULL)`)
}

const run = SERVER ? describe : describe.skip
run('wamux import evolution, fazer-ai', function () {
  this.timeout(180_000)
  const folders = temporaryFolder()
  const env: Record<string, string> = { WAMUX_DATA_DIR: temporaryFolder() }
  let loose: LooseNetwork
  let database: OwnDatabase
  let own: OwnDatabase
  let db: Knex
  let redis: OwnRedis | undefined
  let movers: Mover[]
  const moverOf = (name: string): Mover => movers.find((mover) => mover.name === name) as Mover

  before(async () => {
    loose = await startNetwork()
    env['WAMUX_BAILEYS_NETWORK'] = loose.card
    redis = await openTestRedis()
    database = await createPostgres(SERVER)
    own = await createPostgres(SERVER)
    env['DATABASE_URL'] = own.url
    db = connected(database.url)
    await createTables(db)
    movers = await Promise.all(
      ['in-files', 'in-redis', '5511988887777'].map((name) => createMover(loose, name)),
    )
    await Promise.all(
      movers.map(async (mover) => {
        const stock = await linkStock(loose, mover.phone, join(folders, mover.name))
        await exchange(mover, stock)
        await stock.stop()
      }),
    )
    for (const name of ['in-files', 'in-redis']) {
      const { creds, keys } = readAuthFolder(join(folders, name))
      const row = { id: `id-${name}`, name, integration: 'WHATSAPP-BAILEYS', token: `token-of-${name}-0123` }
      await db('Instance').insert(row)
      await db('Session').insert({ id: `s-${name}`, sessionId: row.id, creds: JSON.stringify(creds) })
      if (name === 'in-redis') await redis?.put(`evolution:instance:${row.id}`, keys)
    }
    const events = JSON.stringify(['MESSAGES_UPSERT', 'MESSAGES_UPDATE'])
    const webhook = {
      id: 'w',
      url: 'http://127.0.0.1:9/hook',
      enabled: true,
      events,
      updatedAt: new Date(),
      instanceId: 'id-in-files',
    }
    await db('Webhook').insert(webhook)
    await db('Instance').insert({ id: 'id-cloud', name: 'cloud', integration: 'WHATSAPP-BUSINESS' })
    cpSync(join(folders, 'in-files'), join(folders, 'instances', 'id-in-files'), { recursive: true })
    rmSync(join(folders, 'instances', 'id-in-files', 'creds.json'))
  })
  after(async () => {
    await db.destroy()
    await database.drop()
    await own.drop()
    await redis?.close()
    await loose.network.close()
  })

  it('takes over an instance with its keys in files: token, webhook and link', async () => {
    const from = [
      'import',
      'evolution',
      database.url,
      '--keys',
      join(folders, 'instances'),
      '--network',
      'sandbox',
    ]
    const { out, err } = await wamux(from, env)
    expect(out, err).to.match(
      /imported {2}in-files .*token kept; webhook \S+ for Message, ReadReceipt in the format evolution/,
    )
    expect(out).to.include('refused   in-redis: its Signal keys are not in')
    expect(out).to.include('refused   cloud: its integration WHATSAPP-BUSINESS has no linked device')
    const gateway = await startProcess(env)
    const token = await assertMoved(gateway, moverOf('in-files'))
    expect(token).to.equal('token-of-in-files-0123')
    const { data } = await gateway.get('/webhook', { token })
    expect(JSON.stringify(data)).to.include('http://127.0.0.1:9/hook').and.include('ReadReceipt')
    const [main] = (await gateway.get('/webhook/endpoints', { token })).data.Endpoints
    expect(main).to.include({ Id: 'main', Format: 'evolution' })
    expect(main.Events).to.deep.equal(['messages.upsert', 'messages.update'])
    await gateway.end('SIGTERM')
  })

  it('takes over keys in Redis, and connections of fazer-ai', async function () {
    if (!redis) return this.skip()
    const { creds, keys } = readAuthFolder(join(folders, '5511988887777'))
    const metadata = JSON.stringify({ webhookUrl: 'http://127.0.0.1:9/fazer', webhookVerifyToken: 'x' })
    await redis.put('@baileys-api:connections:5511988887777:authState', { creds, metadata, ...keys })
    await redis.put('@baileys-api:connections:5511900000000:authState', { creds: '{}' })

    const instances = await wamux(
      [
        'import',
        'evolution',
        database.url,
        '--keys',
        redis.url,
        '--network',
        'sandbox',
        '--only',
        'in-redis',
      ],
      env,
    )
    expect(instances.out, instances.err).to.include('1 imported, 0 refused')
    const connections = await wamux(
      ['import', 'fazer-ai', redis.url, '--network', 'sandbox', '--no-webhooks'],
      env,
    )
    expect(connections.out, connections.err).to.include('1 imported, 1 refused')
    expect(connections.out)
      .to.include('refused   5511900000000: it is not linked')
      .and.not.include('webhook http')
    const gateway = await startProcess(env)
    for (const name of ['in-redis', '5511988887777']) await assertMoved(gateway, moverOf(name))
    expect(loose.network.view()['Counters']).to.include({ pairings: 3 })
    await gateway.end('SIGTERM')
    return undefined
  })

  it('says what it can not reach', async () => {
    const fresh = { ...env, WAMUX_DATA_DIR: temporaryFolder() }
    const none = await wamux(['import', 'fazer-ai', 'redis://user:secret@127.0.0.1:1'], fresh)
    expect(none.err).to.include('redis://127.0.0.1:1 can not be read').and.not.include('secret')
    const wrong = await wamux(
      ['import', 'evolution', 'postgres://u:secret@127.0.0.1:1/x', '--keys', folders],
      fresh,
    )
    expect(wrong.err).to.include('postgres://127.0.0.1:1/x can not be read').and.not.include('secret')
  })
})
