import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

interface Package {
  license?: string
  dev?: boolean
  /** A package of the workspace, or the repository itself. */
  link?: boolean
}

const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  packages: Record<string, Package>
}
const notice = readFileSync('NOTICE.md', 'utf8')

/** Ask for no more than to keep their text. */
const PERMISSIVE = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'ISC', 'MIT']

describe('NOTICE.md', () => {
  const exceptions = [...notice.matchAll(/^\| `(.+)` \| (.+) \| .+ \|$/gm)].map(
    ([, name = '', license = '']) => ({ name, license }),
  )

  /** Packages that run with wamux under a licence that is neither permissive nor in the table. */
  function unnamed(lock: Readonly<Record<string, Package>>): string[] {
    return runtime(lock)
      .filter(({ license }) => !isPermissive(license))
      .filter((one) => !exceptions.some((row) => matchesRow(one, row)))
      .map(({ name, license }) => `${name}: ${license}`)
  }

  it('names every package that runs with wamux and is not under a permissive licence', () => {
    expect(runtime(packages).length).to.be.greaterThan(100)
    expect(unnamed(packages)).to.deep.equal([])
  })

  it('names no package that is not there, or is under another licence', () => {
    const found = exceptions.filter((row) => runtime(packages).some((one) => matchesRow(one, row)))
    expect(found).to.deep.equal(exceptions)
  })

  for (const license of [
    'AGPL-3.0-only',
    'MIT AND GPL-2.0',
    'GPL-3.0 AND (MIT OR ISC)',
    'SSPL-1.0',
    undefined,
  ])
    it(`would not let a new dependency under ${license ?? 'no licence'} pass`, () => {
      const added = { ...packages, 'node_modules/koa/node_modules/new': { ...(license ? { license } : {}) } }
      expect(unnamed(added)).to.deep.equal([`new: ${license ?? 'none'}`])
      expect(unnamed({ ...added, 'node_modules/koa/node_modules/new': { dev: true } })).to.deep.equal([])
    })

  it('would not let a named package change its licence', () => {
    const changed = { ...packages, 'node_modules/libsignal': { license: 'AGPL-3.0' } }
    expect(unnamed(changed)).to.deep.equal(['libsignal: AGPL-3.0'])
  })

  it('speaks of the licences that the installed packages themselves name', () => {
    const installed = runtime(packages).filter(({ path }) => existsSync(join(path, 'package.json')))
    expect(installed.length).to.be.greaterThan(100)
    for (const { path, license } of installed) {
      const manifest = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as Package
      expect(manifest.license, path).to.equal(license)
    }
  })

  it('is right about what whatsapp-rust-bridge declares and contains', () => {
    const folder = 'node_modules/whatsapp-rust-bridge'
    expect(packages[folder]?.license).to.equal('MIT')
    expect(existsSync(join(folder, 'LICENSE'))).to.equal(false)
    const modules = [
      ...readFileSync(join(folder, 'dist/index.js'), 'utf8').matchAll(/[A-Za-z0-9+/]{10000,}/g),
    ]
    const wasm = modules.map(([text]) => Buffer.from(text, 'base64'))
    expect(wasm.some((module) => module.includes('wacore/libsignal/src'))).to.equal(true)
  })
})

/** What npm installs without development dependencies, on any machine. */
function runtime(lock: Readonly<Record<string, Package>>): { path: string; name: string; license: string }[] {
  return Object.entries(lock)
    .filter(([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link)
    .map(([path, { license = 'none' }]) => ({
      path,
      name: path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length),
      license,
    }))
}

function matchesRow(one: { name: string; license: string }, row: { name: string; license: string }): boolean {
  const [start = '', ...rest] = row.name.split('*')
  const isNamed = rest.length > 0 ? one.name.startsWith(start) : one.name === start
  return isNamed && one.license === row.license
}

/** An SPDX expression; one that is nested deeper than npm packages nest them is left to a reader. */
function isPermissive(expression: string): boolean {
  const flat = expression.replace(/^\((.*)\)$/, '$1')
  if (/[()]/.test(flat)) return false
  return flat.split(' OR ').some((part) => part.split(' AND ').every((one) => PERMISSIVE.includes(one)))
}
