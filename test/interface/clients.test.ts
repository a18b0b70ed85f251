import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { whole } from '../support/run/whole.ts'
import { admin, openShop, type Shop } from '../support/world.ts'

const run = promisify(execFile)

/** What every script prints, however its client is made. */
const DONE = {
  ok: 'ok',
  hasSession: true,
  isLoggedIn: true,
  isKnown: true,
  people: 1,
  isOnce: true,
  state: 'object',
  name: 'Crew',
  hasEvents: true,
  refused: 'FIELD_MISSING',
}

/** As strict as people have it; the code that others generate is theirs. */
const TSCONFIG = {
  compilerOptions: {
    target: 'ES2022',
    module: 'NodeNext',
    moduleResolution: 'NodeNext',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    types: ['node'],
    strict: true,
    noUncheckedIndexedAccess: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
}

whole.describe('clients that others generate from the OpenAPI document', function () {
  this.timeout(180_000)
  let shop: Shop
  const folder = mkdtempSync(join(tmpdir(), 'wamux-clients-'))
  const node = (args: string[], env: Record<string, string> = {}) =>
    run(process.execPath, args, { cwd: folder, env: { PATH: process.env['PATH'], ...env } }).catch(
      ({ stdout, stderr }: { stdout: string; stderr: string }) => {
        throw new Error(`${stdout}${stderr}`)
      },
    )
  before(async () => {
    shop = await openShop()
    cpSync('test/fixtures/clients', folder, { recursive: true })
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    const document = await (await fetch(`${shop.world.gateway.url}/openapi.json`)).text()
    const files = {
      'openapi.json': document,
      'package.json': JSON.stringify({ type: 'module' }),
      'tsconfig.json': JSON.stringify(TSCONFIG),
    }
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  })
  after(async () => {
    rmSync(folder, { recursive: true, force: true })
    await shop.world.stop()
  })

  it('are made by openapi-typescript and @hey-api/openapi-ts, and compile under strict', async () => {
    await Promise.all([
      node(['node_modules/openapi-typescript/bin/cli.js', 'openapi.json', '-o', 'openapi-typescript.ts']),
      node(['node_modules/@hey-api/openapi-ts/bin/run.js', '-i', 'openapi.json', '-o', 'hey-api', '-s']),
    ])
    await node(['node_modules/typescript/bin/tsc', '-p', '.'])
  })

  for (const name of ['openapi-fetch', 'hey-api']) {
    it(`make twenty calls that work: ${name}`, async () => {
      const { stdout } = await node(['--import', 'tsx', `${name}.ts`], {
        URL: shop.world.gateway.url,
        TOKEN: shop.session.token,
        ADMIN: admin.admintoken,
        PHONE: shop.ana.account.phone,
      })
      expect(JSON.parse(stdout)).to.include(DONE)
    })
  }
})
