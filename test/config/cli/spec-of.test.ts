import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { specOf } from '../../../config/cli/new-plugin.ts'
import { temporaryFolder } from '../../support/databases.ts'

describe('the wamux that a new plugin asks for', () => {
  /** Folder of a wamux that npm installed in `project`, with what npm notes of it. */
  function installed(project: string, noted?: object): URL {
    const folder = join(project, 'node_modules', 'wamux')
    mkdirSync(folder, { recursive: true })
    const list = { packages: { 'node_modules/wamux': { version: '1.2.3', ...noted } } }
    if (noted) writeFileSync(join(project, 'node_modules', '.package-lock.json'), JSON.stringify(list))
    return pathToFileURL(`${folder}/`)
  }
  const cases: readonly [what: string, noted: object | undefined, spec: string | undefined][] = [
    ['a tarball beside the project', { resolved: 'file:../wamux-1.2.3.tgz' }, 'file:../../wamux-1.2.3.tgz'],
    ['a tarball in the project', { resolved: 'file:lib/wamux.tgz' }, 'file:../lib/wamux.tgz'],
    ['a linked folder', { resolved: '../wamux', link: true }, 'file:../../wamux'],
    ['a registry', { resolved: 'https://registry.npmjs.org/wamux/-/wamux-1.2.3.tgz' }, '^1.2.3'],
    ['a private registry', { resolved: 'http://npm.example/wamux/-/wamux-1.2.3.tgz' }, '^1.2.3'],
    [
      'a tarball on a server',
      { resolved: 'https://files.example/wamux.tgz' },
      'https://files.example/wamux.tgz',
    ],
    [
      'a repository',
      { resolved: 'git+ssh://git@example.com/wamux.git#1a2b' },
      'git+ssh://git@example.com/wamux.git#1a2b',
    ],
    ['an installation that npm noted nothing of', undefined, undefined],
  ]
  for (const [what, noted, spec] of cases) {
    it(`is that of ${what}`, () => {
      const project = temporaryFolder()
      const folder = join(project, 'wamux-plugin-crm')
      expect(specOf('wamux', installed(project, noted), '1.2.3', folder)).to.equal(spec)
    })
  }

  it('is of its own for a package beside wamux', () => {
    const project = temporaryFolder()
    const root = installed(project, { resolved: 'file:../wamux-1.2.3.tgz' })
    const sandbox = { 'node_modules/@wamux/sandbox': { resolved: 'file:../wamux-sandbox-1.2.3.tgz' } }
    writeFileSync(join(project, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: sandbox }))
    const folder = join(project, 'wamux-plugin-crm')
    expect(specOf('@wamux/sandbox', root, '1.2.3', folder)).to.equal('file:../../wamux-sandbox-1.2.3.tgz')
    expect(specOf('wamux', root, '1.2.3', folder)).to.equal(undefined)
  })

  it('is unknown for a checkout of the sources', () => {
    const folder = temporaryFolder()
    expect(specOf('wamux', pathToFileURL(`${folder}/`), '1.2.3', join(folder, 'wamux-plugin-crm'))).to.equal(
      undefined,
    )
  })
})
