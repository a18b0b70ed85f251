import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { expect } from 'chai'
import { masterKeysOf } from '../../../config/master-keys.ts'
import { markOf } from '../../../kernel/logging/log.ts'
import { openKeyring } from '../../../kernel/vault/keyring.ts'
import { callsOf } from '../../support/calls.ts'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, mainOf, startProcess } from '../../support/process.ts'
import { whole } from '../../support/run/whole.ts'
import { admin } from '../../support/sessions.ts'

interface Ended {
  code: number
  out: string
  err: string
}

/** Of the build, as the processes are. */
const SDK = pathToFileURL(resolve('dist/kernel/plugin.js')).href

/** With the configuration that lies in the folder. */
function startHere(folder: string): Promise<GatewayProcess> {
  const env = { WAMUX_CONFIG: join(folder, 'wamux.yaml'), WAMUX_DATA_DIR: join(folder, 'data') }
  return startProcess(env)
}

function wamux(args: readonly string[], cwd = temporaryFolder()): Promise<Ended> {
  const env = { PATH: process.env['PATH'], WAMUX_PORT: '0', LOG_LEVEL: 'silent' }
  return new Promise((done) => {
    execFile(process.execPath, [...mainOf(), ...args], { cwd, env }, (error, out, err) => {
      done({ code: error ? Number(error.code) : 0, out, err })
    })
  })
}

function withPlugin(text: string): string {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'guest.mjs'), `import { definePlugin, T } from '${SDK}'\n${text}`)
  writeFileSync(join(folder, 'wamux.yaml'), 'plugins:\n  server: true\n  ./guest.mjs: true\n')
  return folder
}

describe('the command line', () => {
  it('prints a link to the dashboard where a person reads the output, which logs in once', async () => {
    const env = { PATH: process.env['PATH'], WAMUX_PORT: '0', WAMUX_DATA_DIR: temporaryFolder() }
    const command = [process.execPath, ...mainOf(), 'start'].join(' ')
    // `script` runs it at a terminal.
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env })
    const ended = once(child, 'exit')
    const lines: string[] = []
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
    try {
      const line = await eventually(() => lines.find((one) => one.startsWith('Dashboard: ')), 'the link')
      const [, url = '', Code = ''] = /^Dashboard: (\S+)\/dashboard#code=(\S+)/.exec(line) ?? []
      const { post } = callsOf({ url })
      const page = { 'x-wamux-dashboard': '1' }
      expect(await post('/dashboard/login/code', { Code }, page)).to.include({ success: true })
      expect(await post('/dashboard/login/code', { Code }, page)).to.include({ success: false })
    } finally {
      child.kill('SIGTERM')
      await ended
    }
  })

  it('describes every command', async () => {
    const { code, out } = await wamux(['--help'])
    expect(code).to.equal(0)
    const names = [
      ...['start', 'sandbox', 'network', 'check', 'doctor', 'plugins', 'mark', 'new-plugin', 'plugin'],
      ...['backup', 'restore', 'db', 'import', 'listen', 'trigger', 'send', 'logs'],
    ]
    for (const name of names) expect(out).to.match(new RegExp(`^  ${name} .*\\S`, 'm'))
    expect((await wamux(['plugin', 'purge', '--help'])).out)
      .to.include('--yes')
      .and.match(/must\s+be\s+stopped/)
  })

  it('lists plugins with the services that they replace or wrap, and the contracts that they contribute to', async () => {
    const cwd = withPlugin(`import { asValue } from '${SDK}'
export default definePlugin({
  name: 'guest', version: '1.0.0', api: '^1.0.0',
  provides: ['media'], overrides: ['media'], services: () => ({ media: asValue({}) }),
  decorates: { sender: (next) => next },
  contributes: { messageHooks: () => ({}) },
})`)
    const { code, out } = await wamux(['plugins', '--config', 'wamux.yaml'], cwd)
    expect(code).to.equal(0)
    expect(out).to.match(/^guest 1\.0\.0, overrides media, decorates sender, contributes to messageHooks$/m)
  })

  it('shows the mark of somebody, by number or JID, that the log of this gateway has', async () => {
    const cwd = temporaryFolder()
    const { keys } = masterKeysOf({ dataDir: join(cwd, 'data') })
    const shown = await wamux(['mark', '+491511234567'], cwd)
    expect(shown).to.include({ code: 0 })
    const { mac } = openKeyring(keys)
    expect(shown.out).to.equal(`${markOf(mac, '491511234567')}\n`)
    expect((await wamux(['mark', '491511234567:3@s.whatsapp.net'], cwd)).out).to.equal(shown.out)
  })

  it('makes no master key to show a mark', async () => {
    const cwd = temporaryFolder()
    const { code, err } = await wamux(['mark', '+491511234567'], cwd)
    expect({ code, err }).to.have.property('code', 1)
    expect(err).to.include('there is no master key in data/master-key; start the gateway once')
    expect(existsSync(join(cwd, 'data'))).to.equal(false)
  })

  const misuse: readonly [what: string, args: string[], says: string][] = [
    ['an unknown command', ['stat'], "unknown command 'stat'"],
    ['an unknown option', ['check', '--fast'], "unknown option '--fast'"],
    ['a missing name', ['new-plugin'], "missing required argument 'name'"],
  ]
  for (const [what, args, says] of misuse) {
    it(`ends with 2 on ${what}`, async () => {
      const { code, err } = await wamux(args)
      expect({ code, err }).to.have.property('code', 2)
      expect(err).to.include(says).and.include('wamux --help lists the commands')
    })
  }

  it('writes a new plugin under its name, and never over another', async () => {
    const folder = temporaryFolder()
    const { code, out } = await wamux(['new-plugin', '@acme/my-crm'], folder)
    expect({ code, out }).to.have.property('code', 0)
    expect(out).to.include('src/index.ts').and.include('next: cd wamux-plugin-my-crm && npm install')
    const made = JSON.parse(readFileSync(join(folder, 'wamux-plugin-my-crm', 'package.json'), 'utf8'))
    expect(made.devDependencies.wamux).to.match(/^\^\d/)
    // A checkout of the sources is in no registry under this version.
    expect(out).to.include(`npm install --save-dev ${resolve('.')}`)
    const again = await wamux(['new-plugin', 'my-crm'], folder)
    expect(again).to.include({ code: 1 })
    expect(again.err).to.include('exists already; choose another name, or remove it')
    const odd = await wamux(['new-plugin', 'My_CRM'], folder)
    expect(odd).to.include({ code: 1 })
    expect(odd.err).to.include('"My_CRM" can not be a plugin name: it must be lower-case letters')
  })

  it('checks plugins while touching nothing, and names every fault', async () => {
    const folder = withPlugin(
      "export default definePlugin({ name: 'guest', version: '1.0.0', api: '^7.0.0' })",
    )
    const { code, err } = await wamux(['check', '--config', 'wamux.yaml'], folder)
    expect(code).to.equal(1)
    expect(err).to.include('plugin "guest" was written for plugin API ^7.0.0')
    expect(existsSync(join(folder, 'data'))).to.equal(false)
  })

  whole.it('warns of a plugin that brings a wamux of its own', async () => {
    const folder = withPlugin(
      "export default definePlugin({ name: 'guest', version: '1.0.0', api: '^1.0.0' })",
    )
    mkdirSync(join(folder, 'node_modules/wamux'), { recursive: true })
    writeFileSync(join(folder, 'node_modules/wamux/package.json'), '{"name":"wamux","version":"0.0.9"}')
    const warning = 'plugin "guest" uses its own copy, wamux 0.0.9 in '
    const { code, out } = await wamux(['check', '--config', 'wamux.yaml'], folder)
    expect({ code, out }).to.have.property('code', 0)
    expect(out).to.include(`warning: ${warning}`)
    const gateway = await startHere(folder)
    await gateway.end('SIGTERM')
    const [line = '{}'] = gateway.lines.filter((text) => text.includes('uses its own copy'))
    expect(JSON.parse(line)).to.include({ level: 40 })
  })

  it('ends when a plugin fails, even one that leaves something running', async () => {
    const setup = "setup: async () => { setInterval(() => {}, 1000); throw new Error('no power') }"
    const folder = withPlugin(
      `export default definePlugin({ name: 'guest', version: '1.0.0', api: '^1.0.0', ${setup} })`,
    )
    const { code, err } = await wamux(['start', '--config', 'wamux.yaml'], folder)
    expect(code).to.equal(1)
    expect(err).to.include('The gateway did not start:\n- plugin "guest" failed in setup: no power')
  })

  it('says which plugin can not be purged, and why', async () => {
    const { code, err } = await wamux(['plugin', 'purge', 'wamux-plugin-gone', '--yes'])
    expect(code).to.equal(1)
    expect(err)
      .to.include('plugin "wamux-plugin-gone" can not be loaded from')
      .and.include('install it there')
  })

  it('keeps everything when a down fails', async () => {
    const up = "up: (knex) => knex.schema.createTable('guest_rows', (t) => { t.text('a') })"
    const down =
      "down: async (knex) => { await knex.schema.dropTable('guest_rows'); throw new Error('no way back') }"
    const folder = withPlugin(
      `export default definePlugin({ name: 'guest', version: '1.0.0', api: '^1.0.0', migrations: { '001_rows': { ${up}, ${down} } } })`,
    )
    const gateway = await startHere(folder)
    await gateway.end('SIGTERM')
    const purge = ['plugin', 'purge', 'guest', '--config', 'wamux.yaml']
    const { code, err } = await wamux([...purge, '--yes'], folder)
    expect(code).to.equal(1)
    expect(err).to.include('plugin "guest" could not be purged, and nothing was changed: no way back')
  })

  whole.it('runs local networks beside the configured database and the card of another network', async () => {
    const folder = temporaryFolder()
    const card = join(folder, 'network.json')
    writeFileSync(card, 'of another network')
    // No server listens there: a command that touched it would fail.
    const env = { WAMUX_DATA_DIR: folder, DATABASE_URL: 'postgres://nobody@127.0.0.1:1/real' }
    for (const [command, data] of [
      [['sandbox'], 'sandbox'],
      [['network', '--keep'], 'network'],
      [['network'], ''],
    ] as const) {
      const gateway = await startProcess(env, command)
      const { data: made } = await gateway.post('/sandbox/phones', {}, admin)
      expect(made.Phone, command.join(' ')).to.match(/^999/)
      expect(await gateway.end('SIGTERM')).to.equal(0)
      const [, shown = ''] = /"card":"([^"]+)"/.exec(gateway.lines.join('\n')) ?? []
      if (data) expect(shown).to.equal(join(folder, data, 'network.json'))
      expect(existsSync(shown)).to.equal(data !== '')
      expect(readFileSync(card, 'utf8')).to.equal('of another network')
    }
    expect(readdirSync(folder).sort()).to.deep.equal(['network', 'network.json', 'sandbox'])
  })

  it('stays up when a plugin leaves a rejection unhandled', async () => {
    const handle = "handle: async () => { void Promise.reject(new Error('stray')); return {} }"
    const route = `routes: (r) => [r.get('/stray', { summary: 's', access: 'public', ${handle} })]`
    const folder = withPlugin(
      `export default definePlugin({ name: 'guest', version: '1.0.0', api: '^1.0.0', ${route} })`,
    )
    const gateway = await startHere(folder)
    expect(await gateway.get('/stray')).to.include({ status: 200 })
    expect(await gateway.get('/stray')).to.include({ status: 200 })
    expect(await gateway.get('/server/ok')).to.include({ status: 200 })
    expect(await gateway.end('SIGTERM')).to.equal(0)
    expect(gateway.lines.join('\n')).to.include('unhandled rejection').and.include('stray')
  })
})
