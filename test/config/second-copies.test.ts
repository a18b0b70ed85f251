import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { loadConfig } from '../../config/load.ts'
import { secondCopies } from '../../config/second-copies.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { temporaryFolder } from '../support/databases.ts'

const SDK = new URL('../../kernel/plugin.ts', import.meta.url).href

describe('a plugin with a wamux of its own', () => {
  const RUNNING = resolve('.')

  async function copiesOf(folder: string, from: string): Promise<string[]> {
    writeFileSync(
      join(folder, 'wamux.json'),
      JSON.stringify({ profile: 'minimal', plugins: { [from]: true } }),
    )
    const loaded = await loadConfig({ WAMUX_CONFIG: join(folder, 'wamux.json') })
    const guest = loaded.plugins.at(-1)?.plugin as Plugin | undefined
    expect(guest?.spec.name).to.equal('guest')
    return secondCopies(loaded, pathToFileURL(`${RUNNING}/`))
  }

  function install(folder: string, name: string, files: Record<string, string>): string {
    const home = join(folder, 'node_modules', name)
    mkdirSync(home, { recursive: true })
    for (const [file, text] of Object.entries(files)) writeFileSync(join(home, file), text)
    return home
  }

  const guest = {
    'package.json': JSON.stringify({
      name: 'wamux-plugin-guest',
      type: 'module',
      exports: { '.': { default: './main.js' } },
    }),
    'main.js':
      "import { definePlugin } from 'wamux/plugin'\nexport default definePlugin({ name: 'guest', version: '1.0.0', api: '^1.0.0' })",
  }
  const old = {
    'package.json': JSON.stringify({
      name: 'wamux',
      version: '0.0.9',
      type: 'module',
      exports: { './plugin': './plugin.js', './package.json': './package.json' },
    }),
    'plugin.js': "export const definePlugin = (spec) => ({ $type: 'wamux/plugin', v: 1, spec })",
  }

  it('is warned of, with both copies and the cure', async () => {
    const folder = temporaryFolder()
    const home = install(folder, 'wamux-plugin-guest', guest)
    const own = install(home, 'wamux', old)
    const [line = '', ...more] = await copiesOf(folder, 'wamux-plugin-guest')
    expect(more).to.deep.equal([])
    expect(line).to.include(`plugin "guest" uses its own copy, wamux 0.0.9 in ${own}`)
    expect(line)
      .to.match(/not the running \d+\.\d+\.\d+ in /)
      .and.include(RUNNING)
    expect(line).to.include('under "peerDependencies", not "dependencies"')
    expect(line).not.to.include('\n')
  })

  it('is not warned of when it is the running one', async () => {
    const folder = temporaryFolder()
    install(folder, 'wamux-plugin-guest', guest)
    symlinkSync(RUNNING, join(folder, 'node_modules', 'wamux'))
    expect(await copiesOf(folder, 'wamux-plugin-guest')).to.deep.equal([])
  })

  it('is not warned of when it asks for none', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'guest.mjs'), guest['main.js'].replace('wamux/plugin', SDK))
    expect(await copiesOf(folder, './guest.mjs')).to.deep.equal([])
  })
})
