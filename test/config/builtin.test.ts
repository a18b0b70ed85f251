import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { BUILTIN, CARDS } from '../../config/builtin.ts'
import { readCards } from '../../config/cards.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { checkPlugin } from '../../plugins/sandbox/testing/check-plugin.ts'
import { whole } from '../support/run/whole.ts'

/** Of plugins that do not start with their defaults, and so are on only where they are listed. */
const SETTINGS: Readonly<Record<string, object>> = {
  'media-store-s3': {
    endpoint: 'http://127.0.0.1:1',
    bucket: 'media',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
  },
}

describe('the built-in plugins', () => {
  it('are the folders of plugins/, each with its card', () => {
    const folders = readdirSync('plugins').filter((name) => existsSync(`plugins/${name}/index.ts`))
    expect(Object.keys(BUILTIN)).to.have.members(folders)
    expect(folders.filter((name) => !Array.isArray(CARDS[name]?.profiles))).to.deep.equal([])
  })

  it('are found without being imported: a folder that appears is a plugin, one without an index is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wamux-builtin-'))
    mkdirSync(join(folder, 'new'))
    mkdirSync(join(folder, 'notes'))
    writeFileSync(join(folder, 'new', 'index.ts'), "throw new Error('imported')")
    writeFileSync(join(folder, 'new', 'plugin.json'), '{ "profiles": ["standard"] }')
    expect(readCards(folder, 'index.ts')).to.deep.equal({ new: { profiles: ['standard'] } })
    rmSync(folder, { recursive: true })
  })

  for (const [at, [name, load]] of Object.entries(BUILTIN).entries()) {
    // Each starts gateways: a plain run has every fourth.
    const check = at % 4 === 0 ? it : whole.it
    check(`${name} keeps the rules that third parties are held to`, async () => {
      const plugin = (await load()).default as Plugin
      expect(plugin.spec.name).to.equal(name)
      // A plugin that is on only where it is listed may need PostgreSQL.
      const isStart = (fault: string): boolean => !!CARDS[name]?.isOptIn && fault.startsWith('database ')
      const faults = await checkPlugin(plugin, { config: SETTINGS[name] ?? {} })
      expect(faults.filter((fault) => !isStart(fault))).to.deep.equal([])
    })
  }
})
