import { randomBytes } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { adminTokenOf } from '../../config/admin-token.ts'
import { effective } from '../../config/effective.ts'
import { variableOf, withDotEnv } from '../../config/environment.ts'
import { loadConfig, readConfig } from '../../config/load.ts'
import { PROFILES } from '../../config/profiles.ts'
import { ENVIRONMENT } from '../../config/schema.ts'
import type { Plugin } from '../../kernel/plugin.ts'
import { temporaryFolder } from '../support/databases.ts'

const names = (loaded: Awaited<ReturnType<typeof loadConfig>>): string[] =>
  loaded.plugins.map(({ plugin }) => (plugin as { spec: { name: string } }).spec.name)

const TOKEN = randomBytes(32).toString('hex')

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
      'port: 1234\nhost: 0.0.0.0\nprofile: minimal\nplugins:\n  send: false\n  docs: true\n  http-client: { config: { httpsOnly: true } }\n',
    )
    writeFileSync(join(folder, 'token'), `${TOKEN}\n`)
    const loaded = await loadConfig({
      WAMUX_CONFIG: file,
      WAMUX_PORT: '4321',
      WAMUX_ADMIN_TOKEN_FILE: join(folder, 'token'),
    })
    expect(loaded.config).to.include({ port: 4321, host: '0.0.0.0', adminToken: TOKEN })
    const http = loaded.plugins[names(loaded).indexOf('http-client')]
    expect(http?.config).to.deep.equal({ httpsOnly: true })
  })

  it('gives a plugin its settings from the environment', async () => {
    const loaded = await loadConfig({ WAMUX_WEBHOOK_TIMEOUT_MS: '99' })
    const webhook = loaded.plugins[names(loaded).indexOf('webhook')]
    expect(webhook?.config).to.deep.equal({ timeoutMs: '99' })
  })

  it('switches single plugins on top of the profile', async () => {
    const file = join(temporaryFolder(), 'wamux.json')
    writeFileSync(file, JSON.stringify({ profile: 'minimal', plugins: { send: false, docs: true } }))
    const loaded = await loadConfig({ WAMUX_CONFIG: file })
    const wanted = PROFILES.minimal.filter((name) => name !== 'send')
    expect(names(loaded)).to.have.members([...wanted, 'docs'])
    expect(names(await loadConfig({ WAMUX_CONFIG: file, WAMUX_PROFILE: 'all' }))).to.include('sandbox')
  })

  it('switches single plugins in the environment, over the file', async () => {
    const file = join(temporaryFolder(), 'wamux.json')
    const plugins = { send: false, docs: true, 'http-client': { config: { httpsOnly: true } } }
    writeFileSync(file, JSON.stringify({ profile: 'minimal', plugins }))
    const env = { WAMUX_CONFIG: file, WAMUX_PLUGINS: '+send, labels,-docs,http-client,' }
    const loaded = await loadConfig(env)
    expect(names(loaded)).to.have.members([...PROFILES.minimal, 'labels'])
    expect(loaded.plugins[names(loaded).indexOf('http-client')]?.config).to.deep.equal({ httpsOnly: true })
    expect(effective(loaded, env)).to.match(/^plugins +\+send, labels,.* environment WAMUX_PLUGINS$/m)
    const missing = await loadConfig({ WAMUX_PLUGINS: 'lables' })
    expect(String(missing.plugins.find(({ fault }) => fault)?.fault)).to.include('"lables"')
  })

  it('reads lists from the environment with commas between the items', async () => {
    const loaded = await loadConfig({
      WAMUX_ALLOW_PRIVATE_HOSTS: '10.0.0.0/8, crm',
      WAMUX_WEBHOOK_RETRY_SECONDS: '5,30',
    })
    expect(loaded.config.allowPrivateHosts).to.deep.equal(['10.0.0.0/8', 'crm'])
    const webhook = loaded.plugins[names(loaded).indexOf('webhook')]
    expect(webhook?.config).to.deep.equal({ retrySeconds: ['5', '30'] })
  })

  it('takes exact origins of pages, or a star', () => {
    const origins = (text: string) => readConfig({ WAMUX_CORS_ORIGINS: text }).config.corsOrigins
    expect(origins('https://a.example, http://localhost:5173')).to.have.length(2)
    expect(origins('*')).to.deep.equal(['*'])
    for (const wrong of ['https://a.example/', 'a.example', 'https://A.example', 'https://*.a.example/x'])
      expect(() => origins(wrong), wrong).to.throw('corsOrigins')
  })

  it('reads .env below the environment, but not in production', () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, '.env'), 'WAMUX_PORT=1111\nWAMUX_HOST=0.0.0.0\n')
    expect(withDotEnv({ WAMUX_PORT: '2222' }, folder)).to.include({
      WAMUX_PORT: '2222',
      WAMUX_HOST: '0.0.0.0',
    })
    expect(withDotEnv({ NODE_ENV: 'production' }, folder)).to.deep.equal({ NODE_ENV: 'production' })
  })

  it('finds different variables for all settings there are', async () => {
    const { plugins } = await loadConfig({ WAMUX_PROFILE: 'all' })
    const variables = plugins.flatMap(({ plugin }) => {
      const { name, config } = (plugin as Plugin).spec
      return Object.keys((config as { properties?: object } | undefined)?.properties ?? {}).map((key) =>
        variableOf(name, key),
      )
    })
    const every = ['WAMUX_CONFIG', ...Object.keys(ENVIRONMENT), ...variables]
    expect(new Set(every).size).to.equal(every.length)
  })

  const faults: readonly [what: string, env: Record<string, string>, message: string][] = [
    ['a port that is none', { WAMUX_PORT: 'eighty' }, '"port" must be integer'],
    [
      'a level that is none',
      { LOG_LEVEL: 'loud' },
      '"logLevel" must be equal to one of the allowed values: trace, debug',
    ],
    ['a profile that is none', { WAMUX_PROFILE: 'some' }, 'allowed values: minimal, standard, all'],
    [
      'a short admin token',
      { WAMUX_ADMIN_TOKEN: 'short' },
      '"adminToken" must NOT have fewer than 32 characters',
    ],
    ['an admin token of one letter', { WAMUX_ADMIN_TOKEN: 'x'.repeat(40) }, 'too short or a sample'],
    [
      'an admin token out of a manual',
      { WAMUX_ADMIN_TOKEN: 'please-change-me-0123456789abcdefghij' },
      'adminToken: the admin token is too short or a sample',
    ],
    [
      'an admin token that no header can hold',
      { WAMUX_ADMIN_TOKEN: 'é5c1d3a0f7b24e6890é5c1d3a0f7b24e6890' },
      'adminToken: the admin token has characters other than visible ASCII',
    ],
    [
      'an admin token with a space',
      { WAMUX_ADMIN_TOKEN: '5c1d3a0f7b24e6890 5c1d3a0f7b24e6890' },
      'adminToken: the admin token has characters other than visible ASCII',
    ],
    ['a profile among the plugins', { WAMUX_PLUGINS: 'minimal' }, 'WAMUX_PLUGINS: "minimal" is a profile'],
    [
      'a plugin on and off',
      { WAMUX_PLUGINS: 'labels,-labels' },
      'WAMUX_PLUGINS: "labels" stands in it twice',
    ],
    ['a sign without a name', { WAMUX_PLUGINS: 'labels,-' }, 'WAMUX_PLUGINS: "-" has no name'],
    [
      'switching off what there is not',
      { WAMUX_PLUGINS: '-lables' },
      'WAMUX_PLUGINS: there is no plugin "lables" to switch off',
    ],
    ['proxies that are no number', { WAMUX_TRUST_PROXY: 'yes' }, '"trustProxy" must be integer'],
    ['a missing file', { WAMUX_CONFIG: '/nowhere/wamux.yaml' }, 'file /nowhere/wamux.yaml'],
    ['another database', { DATABASE_URL: 'mysql://x' }, '"databaseUrl"'],
  ]
  for (const [what, env, message] of faults) {
    it(`refuses ${what} and names it`, async () => {
      const error = await loadConfig(env).catch((reason: Error) => reason)
      expect(String(error)).to.include(message)
    })
  }

  it('refuses an admin token file that was cut short', () => {
    const dataDir = temporaryFolder()
    const made = adminTokenOf({ dataDir })
    expect(made.token).to.match(/^[0-9a-f]{64}$/)
    expect(statSync(made.file ?? '').mode & 0o777).to.equal(0o600)
    writeFileSync(made.file ?? '', 'short\n')
    expect(() => adminTokenOf({ dataDir })).to.throw('too short or a sample')
  })

  it('is what its page says', () => {
    const page = readFileSync('config/REFERENCE.md', 'utf8')
    for (const [variable, key] of Object.entries(ENVIRONMENT)) {
      expect(page).to.include(`| \`${key}\` | \`${variable}\` |`)
    }
  })
})
