import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { loadConfig } from '../../config/load.ts'
import { ENVIRONMENT } from '../../config/schema.ts'
import { temporaryFolder } from '../support/databases.ts'

const names = (loaded: Awaited<ReturnType<typeof loadConfig>>): string[] =>
  loaded.plugins.map(({ plugin }) => (plugin as { spec: { name: string } }).spec.name)

describe('configuration', () => {
  it('has defaults that need no file, and no sandbox among them', async () => {
    const loaded = await loadConfig({})
    expect(loaded.config).to.include({ host: '127.0.0.1', port: 8080, dataDir: './data', logLevel: 'info' })
    expect(names(loaded))
      .to.include.members(['baileys', 'session', 'send', 'webhook'])
      .and.not.include('sandbox')
  })

  it('takes the environment over the file over the defaults, and secrets from files', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'wamux.yaml')
    writeFileSync(
      file,
      'port: 1234\nhost: 0.0.0.0\nplugins:\n  server: true\n  http: { config: { httpsOnly: true } }\n',
    )
    writeFileSync(join(folder, 'token'), `${'t'.repeat(40)}\n`)
    const loaded = await loadConfig({
      WAMUX_CONFIG: file,
      WAMUX_PORT: '4321',
      WAMUX_ADMIN_TOKEN_FILE: join(folder, 'token'),
    })
    expect(loaded.config).to.include({ port: 4321, host: '0.0.0.0', adminToken: 't'.repeat(40) })
    expect(names(loaded)).to.deep.equal(['server', 'http'])
    expect(loaded.plugins[1]?.config).to.deep.equal({ httpsOnly: true })
  })

  it('gives a plugin its settings from the environment', async () => {
    const loaded = await loadConfig({ WAMUX_WEBHOOK_TIMEOUT_MS: '99' })
    const webhook = loaded.plugins[names(loaded).indexOf('webhook')]
    expect(webhook?.config).to.deep.equal({ timeoutMs: '99' })
  })

  const faults: readonly [what: string, env: Record<string, string>, message: string][] = [
    ['a port that is none', { WAMUX_PORT: 'eighty' }, '"port" must be integer'],
    ['a level that is none', { LOG_LEVEL: 'loud' }, '"logLevel"'],
    [
      'a short admin token',
      { WAMUX_ADMIN_TOKEN: 'short' },
      '"adminToken" must NOT have fewer than 32 characters',
    ],
    ['a missing file', { WAMUX_CONFIG: '/nowhere/wamux.yaml' }, 'file /nowhere/wamux.yaml'],
    ['another database', { DATABASE_URL: 'mysql://x' }, '"databaseUrl"'],
  ]
  for (const [what, env, message] of faults) {
    it(`refuses ${what} and names it`, async () => {
      const error = await loadConfig(env).catch((reason: Error) => reason)
      expect(String(error)).to.include(message)
    })
  }

  it('is what the README says', () => {
    const readme = readFileSync('README.md', 'utf8')
    for (const [variable, key] of Object.entries(ENVIRONMENT)) {
      expect(readme).to.include(`| \`${variable}\` | \`${key}\` |`)
    }
  })
})
