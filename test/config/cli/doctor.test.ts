import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { examine } from '../../../config/cli/doctor/examine.ts'
import { checkDisk, checkNode } from '../../../config/cli/doctor/host.ts'
import type { Environment } from '../../../config/environment.ts'
import { connected, engines, temporaryFolder } from '../../support/databases.ts'
import { ADMIN, KEYS } from '../../support/gateway.ts'
import { whole } from '../../support/run/whole.ts'
import { startReceiver } from '../../support/servers/receiver.ts'
import { admin, startWorld } from '../../support/world.ts'

/** Above the built-in one. */
const VERSION = '2.3000.1053857760'
const NOWHERE = 'http://127.0.0.1:9/'

/** Found state, words and advice by check. */
async function doctor(env: Environment, { clock = NOWHERE, isAsking = false } = {}) {
  const findings = await examine({ WAMUX_PORT: '0', WAMUX_KEYS: KEYS, ...env }, { clock, isAsking })
  return Object.fromEntries(findings.map(({ check, ...rest }) => [check, rest]))
}

async function listen(handle: RequestListener) {
  const server = createServer(handle)
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  const { port } = server.address() as AddressInfo
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    close: () => new Promise((settle) => server.close(settle)),
  }
}

describe('wamux doctor', () => {
  for (const engine of engines) {
    describe(`with a database of a gateway on ${engine.name}`, () => {
      let env: Environment
      let dataDir: string
      const receiver = startReceiver()
      before(async () => {
        const fresh = engine.fresh()
        ;({ dataDir } = fresh)
        const world = await startWorld({ ...fresh })
        const { data } = await world.gateway.post('/session/init', { Webhook: (await receiver).url }, admin)
        const token = { token: data.Token }
        await world.gateway.post('/webhook', { WebhookURL: (await receiver).url }, token)
        await world.gateway.post('/webhook/endpoints', { URL: 'http://127.0.0.1:9/dead' }, token)
        await world.gateway.stop()
        const { databaseUrl, databaseSchema } = fresh
        const search = `?options=${encodeURIComponent(`-c search_path=${databaseSchema}`)}`
        env = {
          WAMUX_DATA_DIR: dataDir,
          ...(databaseUrl ? { DATABASE_URL: databaseUrl + search } : {}),
        }
      })
      after(async () => (await receiver).close())

      it('finds nothing wrong with it, and changes no file', async () => {
        const before = sumOf(dataDir)
        const found = await doctor(env)
        const failed = Object.entries(found).filter(([, { state }]) => state === 'fail')
        expect(failed).to.deep.equal([])
        expect(found['node']?.state).to.equal(checkNode().state)
        for (const check of ['configuration', 'plugins', 'database', 'master key', 'disk'])
          expect(found[check]?.state, check).to.equal('ok')
        expect(found['migrations']).to.include({ state: 'ok' })
        expect(found['master key']?.found).to.equal('"k1" opens 1 sessions')
        expect(found['webhooks']?.found).to.match(/^2 addresses/)
        expect((await receiver).deliveries).to.have.length(0)
        expect(sumOf(dataDir)).to.deep.equal(before)
      })

      it('reaches webhooks when asked, under the rules of deliveries', async () => {
        const refused = await doctor(env, { isAsking: true })
        const [, live = ''] = /\/\/([^/]+)/.exec((await receiver).url) ?? []
        expect(refused[`webhook ${live}`]).to.include({ state: 'fail' })
        expect(refused[`webhook ${live}`]?.found).to.include('private address')
        const allowed = { ...env, WAMUX_ALLOW_PRIVATE_HOSTS: '127.0.0.1' }
        const found = await doctor(allowed, { isAsking: true })
        expect(found[`webhook ${live}`]).to.include({ state: 'ok', found: 'answers (200)' })
        expect(found['webhook 127.0.0.1:9']?.state).to.equal('fail')
      })

      it('finds a master key that is another, unreadable or lost', async () => {
        const other = `k1:${Buffer.alloc(32, 8).toString('base64')}`
        expect((await doctor({ ...env, WAMUX_KEYS: other }))['master key']).to.include({
          state: 'fail',
          found: 'opens 0 of 1 sessions',
        })
        expect((await doctor({ ...env, WAMUX_KEYS: 'k1:short' }))['master key']?.state).to.equal('fail')
        const lost = await doctor({ ...env, WAMUX_KEYS: '' })
        expect(lost['master key']?.state).to.equal('fail')
        expect(lost['master key']?.advice).to.include('backup')
        expect(lost['webhooks']?.state).to.equal('skip')
      })

      it('finds a version of WhatsApp Web that is old, ends, was not looked up or is refused', async () => {
        const at = Date.now()
        const day = 24 * 3_600_000
        const versionRow = (fetched: number, rest = "'', 0, ''") =>
          change(
            env,
            dataDir,
            `INSERT INTO baileys_web_version (network, version, source, fetched, began, ended, problem, expires, expires_version) VALUES ('whatsapp', '${VERSION}', 'sw.js', ${fetched}, ${at}, ${at}, ${rest})`,
          )
        const empty = () => change(env, dataDir, 'DELETE FROM baileys_web_version')
        const found = async () => (await doctor(env))['web version']
        await empty()
        expect(await found()).to.include({ state: 'skip', found: 'it is looked up with the first link' })
        await versionRow(at - 2 * day)
        expect(await found()).to.deep.equal({ state: 'ok', found: `${VERSION} from sw.js, 2 days old` })
        await empty()
        await versionRow(at - 46 * day)
        expect(await found()).to.include({ state: 'warn', found: `${VERSION} from sw.js, 46 days old` })
        await empty()
        await versionRow(at - day, "'sw.js: it answered 404', 0, ''")
        const failed = await found()
        expect(failed).to.include({ state: 'warn' })
        expect(failed?.found).to.include('the last look-up failed: sw.js: it answered 404')
        expect(failed?.advice).to.include('WAMUX_BAILEYS_WEB_VERSION')
        for (const [left, state] of [
          [8, 'ok'],
          [6, 'warn'],
          [-1, 'fail'],
        ] as const) {
          await empty()
          await versionRow(at, `'', ${at + left * day}, '${VERSION}'`)
          expect(await found(), `${left} days left`).to.include({ state })
        }
        const refusal = `INSERT INTO baileys_refusals (session, version, count, at, linked, turn) SELECT id, '${VERSION}', 2, ${at}, wanted, 0 FROM sessions`
        await change(env, dataDir, refusal)
        expect((await doctor(env))['refused sessions']).to.include({
          state: 'fail',
          found: `WhatsApp refuses ${VERSION} for 1 sessions`,
        })
        const set = await doctor({ ...env, WAMUX_BAILEYS_WEB_VERSION: '2.3000.1043000000' })
        expect(set['web version']).to.include({ state: 'warn' })
        expect(set['web version']?.found).to.include(
          '2.3000.1043000000, which WAMUX_BAILEYS_WEB_VERSION sets',
        )
        await change(env, dataDir, 'DELETE FROM baileys_refusals')
        await empty()
      })

      it('finds migrations that are pending, and those of a newer version', async () => {
        const table = 'migrations_audit'
        await change(env, dataDir, `UPDATE ${table} SET name = 'zzz_newer' WHERE name LIKE '%'`)
        const found = await doctor(env)
        expect(found['migrations']).to.include({ state: 'fail' })
        expect(found['migrations']?.found).to.include('audit zzz_newer')
        await change(env, dataDir, `DELETE FROM ${table}`)
        expect((await doctor(env))['migrations']).to.include({ state: 'warn' })
      })
    })
  }

  it('finds a configuration and plugins that do not start, and settings of nothing', async () => {
    expect((await doctor({ WAMUX_PORT: 'x' }))['configuration']?.state).to.equal('fail')
    const folder = temporaryFolder()
    const file = join(folder, 'wamux.json')
    writeFileSync(file, JSON.stringify({ plugins: { './missing.js': true } }))
    const found = await doctor({ WAMUX_CONFIG: file, WAMUX_DATA_DIR: folder, WAMUX_NOWHERE: '1' })
    expect(found['plugins']?.state).to.equal('fail')
    expect(found['plugins']?.found).to.include('./missing.js')
    expect(found['configuration']).to.include({ state: 'warn' })
    expect(found['configuration']?.found).to.include('WAMUX_NOWHERE')
  })

  it('finds files that others can open, a database that is none, and one that is not reachable', async () => {
    const folder = join(temporaryFolder(), 'data')
    mkdirSync(folder, { mode: 0o755 })
    writeFileSync(join(folder, 'wamux.sqlite'), 'no database at all, but long enough to be read as a page', {
      mode: 0o644,
    })
    chmodSync(folder, 0o755)
    const found = await doctor({ WAMUX_DATA_DIR: folder })
    expect(found['files']).to.include({ state: 'warn' })
    expect(found['files']?.advice).to.match(/^chmod go= /)
    expect(found['database']?.state).to.equal('fail')
    const away = await doctor({
      WAMUX_DATA_DIR: folder,
      DATABASE_URL: 'postgres://me:secret@127.0.0.1:9/wamux',
    })
    expect(away['database']).to.include({ state: 'fail' })
    expect(JSON.stringify(away)).not.to.include('secret')
  })

  it('finds a clock that is wrong, a port that is taken, too little room and an old Node', async () => {
    const wrong = await listen((_, response) =>
      response.setHeader('date', new Date(Date.now() + 3_600_000).toUTCString()).end(),
    )
    const env = { WAMUX_DATA_DIR: join(temporaryFolder(), 'data'), WAMUX_PORT: String(wrong.port) }
    const found = await doctor(env, { clock: wrong.url })
    await wrong.close()
    expect(found['clock']).to.include({ state: 'fail', found: '3600 s behind' })
    expect(found['port']).to.include({ state: 'fail' })
    expect(found['port']?.advice).to.include('WAMUX_PORT')
    const ours = await listen((_, response) => response.end('{"code":200,"data":{},"success":true}'))
    const beside = await doctor({ ...env, WAMUX_PORT: String(ours.port) }, { clock: ours.url })
    await ours.close()
    expect(beside['port']?.state).to.equal('ok')
    expect(beside['clock']).to.include({ state: 'ok' })
    expect(await checkDisk('.', Number.MAX_SAFE_INTEGER)).to.include({ state: 'fail' })
    expect(checkNode('18.20.0')).to.include({ state: 'fail' })
  })

  whole.it('prints a table, or JSON, and exits with 1 for a failure', async () => {
    const folder = temporaryFolder()
    const run = (args: string[], env: Record<string, string> = {}) =>
      promisify(execFile)(
        process.execPath,
        [
          '--conditions=wamux:source',
          '--import',
          'tsx',
          resolve('config/cli/main.ts'),
          'doctor',
          '--clock',
          NOWHERE,
          ...args,
        ],
        {
          env: {
            PATH: process.env['PATH'],
            WAMUX_DATA_DIR: folder,
            WAMUX_ADMIN_TOKEN: ADMIN,
            WAMUX_PORT: '0',
            ...env,
          },
        },
      )
    const { stdout } = await run([])
    expect(stdout)
      // A version at its end of life is a warning.
      .to.match(/^(ok {4}|warn {2})node {11}/m)
      .and.match(/\d+ ok, \d+ to look at, 0 failed/)
    expect(readdirSync(folder)).to.deep.equal([])
    const failed = await run(['--json'], { WAMUX_KEYS: 'x' }).catch((error) => error)
    expect(failed.code).to.equal(1)
    expect(JSON.parse(failed.stdout)).to.deep.include.members([
      { check: 'port', state: 'skip', found: 'a free one is chosen' },
    ])
  })
})

function sumOf(folder: string): string[] {
  return readdirSync(folder)
    .sort()
    .map(
      (name) =>
        `${name} ${createHash('sha256')
          .update(readFileSync(join(folder, name)))
          .digest('hex')}`,
    )
}

/** As another version would leave the database. */
async function change(env: Environment, dataDir: string, sql: string): Promise<void> {
  if (env['DATABASE_URL']) {
    const database = connected(env['DATABASE_URL'])
    await database.raw(sql)
    await database.destroy()
    return
  }
  const { default: sqlite3 } = await import('sqlite3')
  const database = new sqlite3.Database(join(dataDir, 'wamux.sqlite'))
  await new Promise<void>((settle, reject) =>
    database.exec(sql, (error) => (error ? reject(error) : settle())),
  )
  await new Promise((settle) => database.close(settle))
}
