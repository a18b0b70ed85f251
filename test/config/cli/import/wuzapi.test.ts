import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import knex, { type Knex } from 'knex'
import { connected, temporaryFolder } from '../../../support/databases.ts'
import { type LooseNetwork, startNetwork } from '../../../support/network.ts'
import { startProcess } from '../../../support/process.ts'
import { whole } from '../../../support/run/whole.ts'
import { createPostgres, type OwnDatabase } from '../../../support/servers/postgres.ts'
import { wamux } from '../../../support/wamux.ts'
import { readAuthFolder } from './folder.ts'
import { assertMoved, createMover, exchange, type Mover, retries } from './moved.ts'
import { linkStock } from './stock.ts'
import { createStore, writeDevice } from './whatsmeow-writer.ts'

const SERVER = process.env['TEST_DATABASE_URL'] ?? ''

const sqlite = (filename: string): Knex =>
  knex({ client: 'sqlite3', connection: { filename }, useNullAsDefault: true, pool: { min: 1, max: 1 } })

const USERS = `id TEXT PRIMARY KEY, name TEXT NOT NULL, token TEXT NOT NULL, webhook TEXT NOT NULL DEFAULT '',
  jid TEXT NOT NULL DEFAULT '', qrcode TEXT NOT NULL DEFAULT '', connected INTEGER, expiration INTEGER,
  events TEXT NOT NULL DEFAULT '', proxy_url TEXT DEFAULT ''`

describe('wamux import wuzapi', function () {
  this.timeout(180_000)
  const folders = temporaryFolder()
  const dbdata = temporaryFolder()
  const env: Record<string, string> = { WAMUX_DATA_DIR: temporaryFolder() }
  let loose: LooseNetwork
  let database: OwnDatabase | undefined
  let movers: Mover[]

  before(async () => {
    loose = await startNetwork()
    env['WAMUX_BAILEYS_NETWORK'] = loose.card
    movers = await Promise.all(['sqlite', 'postgres'].map((name) => createMover(loose, name)))
    await Promise.all(
      movers.map(async (mover) => {
        const stock = await linkStock(loose, mover.phone, join(folders, mover.name))
        await exchange(mover, stock)
        await stock.stop()
      }),
    )
  })
  after(async () => {
    await database?.drop()
    await loose.network.close()
  })

  const write = async (name: string, own: Knex, store: Knex): Promise<void> => {
    await own.raw(`CREATE TABLE users (${USERS})`)
    await createStore(store)
    const jid = await writeDevice(store, readAuthFolder(join(folders, name)))
    const token = `token-of-${name}-0123`
    await own('users').insert({
      id: 'a1',
      name,
      token,
      webhook: 'http://127.0.0.1:9/w',
      jid,
      events: 'Message,Presence',
    })
    await own('users').insert({
      id: 'b2',
      name: 'unlinked',
      token: 'other-0123456789',
      proxy_url: 'socks5://x',
    })
  }

  const moves = async (where: string, mover: Mover): Promise<void> => {
    const { out, err } = await wamux(['import', 'wuzapi', where, '--network', 'sandbox'], env)
    expect(out, err).to.match(
      new RegExp(
        `imported {2}${mover.name} .* [1-9]\\d* Signal sessions, [1-9]\\d* sender keys, [1-9]\\d* prekeys`,
      ),
    )
    expect(out)
      .to.include('webhook http://127.0.0.1:9/w for Message, Presence in the format wuzapi-form')
      .and.not.include('could not be converted')
    expect(out).to.include('refused   unlinked: it is not linked: it has no JID')
    const gateway = await startProcess(env)
    try {
      expect(await assertMoved(gateway, mover)).to.equal(`token-of-${mover.name}-0123`)
      // The ratchets go on: nothing had to be asked for again.
      expect(retries(mover)).to.deep.equal([])
    } finally {
      await gateway.end('SIGTERM')
    }
  }

  it('goes on from SQLite, on the Signal sessions that there are', async () => {
    const [users, main] = [sqlite(join(dbdata, 'users.db')), sqlite(join(dbdata, 'main.db'))]
    await write('sqlite', users, main)
    await main('whatsmeow_sessions').insert({
      our_jid: 'other',
      their_id: '1:0',
      session: Buffer.from([255]),
    })
    await users.destroy()
    await main.destroy()
    await moves(dbdata, movers[0] as Mover)
  })

  it('goes on from PostgreSQL', async function () {
    if (!SERVER) return this.skip()
    database = await createPostgres(SERVER)
    const db = connected(database.url)
    await write('postgres', db, db)
    await db.destroy()
    return moves(database.url, movers[1] as Mover)
  })

  whole.it('names what it can not read', async () => {
    const odd = temporaryFolder()
    expect((await wamux(['import', 'wuzapi', odd], env)).err).to.include('there is no file')
    for (const name of ['users.db', 'main.db'])
      writeFileSync(join(odd, name), 'not a database, but long enough')
    expect((await wamux(['import', 'wuzapi', odd], env)).err).to.include('users.db can not be read')
  })
})
