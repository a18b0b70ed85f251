import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { effective, unused } from '../../config/effective.ts'
import type { Environment } from '../../config/environment.ts'
import { type LoadedConfig, loadConfig } from '../../config/load.ts'
import { prepare } from '../../kernel/wiring/prepare.ts'
import { temporaryFolder } from '../support/databases.ts'

const SECRET = '7d1f0b52c94e4f0f8a6b3c2d9e5f1a08'
const SDK = new URL('../../kernel/plugin.ts', import.meta.url).href
const GUEST = `import { definePlugin, T } from ${JSON.stringify(SDK)}
export default definePlugin({
  name: 'guest', version: '1.0.0', api: '^1.0.0',
  config: T.Object({
    size: T.Integer({ default: 1 }), isLoud: T.Boolean({ default: false }),
    hosts: T.Array(T.String(), { default: [] }), login: T.Optional(T.Object({ user: T.String(), code: T.String() })),
  }),
})`

function write(config: object): Environment {
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'guest.mjs'), GUEST)
  writeFileSync(join(folder, 'wamux.json'), JSON.stringify({ profile: 'minimal', ...config }))
  return { WAMUX_CONFIG: join(folder, 'wamux.json') }
}

/** A plugin's settings as the gateway would give them to it. */
function settingsOf({ plugins }: LoadedConfig, name = 'guest'): unknown {
  return prepare(plugins).find((plugin) => plugin.name === name)?.config
}

async function failure(env: Environment): Promise<string> {
  try {
    prepare((await loadConfig(env)).plugins)
  } catch (error) {
    return String(error)
  }
  throw new Error('it did not fail')
}

describe('{ "$env": … } in the configuration file', () => {
  it('takes the place of any value, as what its schema asks for', async () => {
    const env = write({
      port: { $env: 'MY_PORT' },
      allowPrivateHosts: { $env: 'MY_HOSTS' },
      adminToken: { $env: 'MY_ADMIN' },
      plugins: {
        docs: { $env: 'MY_DOCS' },
        labels: { optional: { $env: 'MY_DOCS' } },
        './guest.mjs': {
          config: {
            size: { $env: 'MY_SIZE' },
            isLoud: { $env: 'MY_LOUD' },
            hosts: ['here', { $env: 'MY_HOST' }],
            login: { user: 'ana', code: { $env: 'MY_CODE' } },
          },
        },
      },
    })
    const file = join(temporaryFolder(), 'admin')
    writeFileSync(file, `${SECRET}\n`)
    const loaded = await loadConfig({
      ...env,
      MY_PORT: '4321',
      MY_HOSTS: '10.0.0.0/8, crm',
      MY_ADMIN_FILE: file,
      MY_DOCS: 'true',
      MY_SIZE: '7',
      MY_LOUD: 'true',
      MY_HOST: 'there',
      MY_CODE: '42',
    })
    expect(loaded.config).to.deep.include({
      port: 4321,
      allowPrivateHosts: ['10.0.0.0/8', 'crm'],
      adminToken: SECRET,
    })
    expect(loaded.plugins.map(({ from }) => from)).to.include('docs')
    expect(loaded.plugins.find(({ from }) => from === 'labels')).to.have.property('optional', true)
    expect(settingsOf(loaded)).to.deep.equal({
      size: 7,
      isLoud: true,
      hosts: ['here', 'there'],
      login: { user: 'ana', code: '42' },
    })
  })

  it('gives its default when the variable is not set, or empty', async () => {
    const size = { $env: 'MY_SIZE', default: 5 }
    const env = write({
      port: { $env: 'MY_PORT', default: 99 },
      plugins: { './guest.mjs': { config: { size } } },
    })
    const loaded = await loadConfig({ ...env, MY_SIZE: '' })
    expect(loaded.config.port).to.equal(99)
    expect(settingsOf(loaded)).to.include({ size: 5 })
  })

  it('is not looked at where the environment wins, or the plugin is off', async () => {
    const env = write({
      port: { $env: 'MY_PORT' },
      plugins: { docs: false, './guest.mjs': { config: { size: { $env: 'MY_SIZE' } } } },
    })
    const loaded = await loadConfig({ ...env, WAMUX_PORT: '1', WAMUX_GUEST_SIZE: '2' })
    expect(loaded.config.port).to.equal(1)
    expect(settingsOf(loaded)).to.include({ size: 2 })
  })

  it('names key and variable of each one that is not set', async () => {
    const unset = { $env: 'MY_PORT' }
    expect(await failure(write({ port: unset, host: { $env: 'MY_HOST' } }))).to.include(
      'configuration: "port" refers to the variable MY_PORT, which is not set; set it, or add a "default"; "host" refers to the variable MY_HOST',
    )
    const login = { login: { user: 'ana', code: { $env: 'MY_CODE' } } }
    expect(await failure(write({ plugins: { './guest.mjs': { config: login } } }))).to.include(
      'configuration of plugin "guest": "login.code" refers to the variable MY_CODE, which is not set; set it, or add a "default"; correct it in the file or in WAMUX_GUEST_',
    )
  })

  it('leaves out a plugin that is optional, with the reason', async () => {
    const config = { size: { $env: 'MY_SIZE' } }
    const { plugins } = await loadConfig(write({ plugins: { './guest.mjs': { optional: true, config } } }))
    const guest = prepare(plugins).find(({ name }) => name === 'guest')
    expect(guest?.fault?.message).to.include('refers to the variable MY_SIZE, which is not set')
  })

  const odd: readonly [what: string, value: object][] = [
    ['no name', { $env: 8080 }],
    ['an empty name', { $env: '' }],
    ['more beside it', { $env: 'PATH', fallback: 1 }],
  ]
  for (const [what, value] of odd) {
    it(`refuses ${what}`, async () => {
      expect(await failure(write({ port: value }))).to.include(
        '"port": "$env" must be the name of a variable, with no other key next to it than "default"',
      )
    })
  }

  it('is checked like any other value', async () => {
    const env = { ...write({ port: { $env: 'MY_PORT' } }), MY_PORT: 'eighty' }
    expect(await failure(env)).to.include('"port" must be integer')
  })

  it('is shown with its variable, and secrets are not shown', async () => {
    const env: Environment = {
      ...write({
        port: { $env: 'MY_PORT' },
        retentionDays: { $env: 'MY_DAYS', default: 3 },
        plugins: {
          './guest.mjs': {
            config: {
              hosts: [{ $env: 'WAMUX_HOST_TOKEN' }],
              login: { user: 'ana', code: { $env: 'MY_SECRET' } },
            },
          },
        },
      }),
      MY_PORT: '4321',
      MY_SECRET: SECRET,
      WAMUX_HOST_TOKEN: SECRET,
    }
    const loaded = await loadConfig(env)
    const text = effective(loaded, env)
    const file = `file ${env['WAMUX_CONFIG']}`
    expect(text).to.match(new RegExp(`^port +4321 +environment MY_PORT, which ${file} names$`, 'm'))
    expect(text).to.match(new RegExp(`^retentionDays +3 +${file}$`, 'm'))
    expect(text).to.match(/^guest\.login +\{"user":"ana","code":"\*+"\} +environment MY_SECRET, which/m)
    expect(text).not.to.include(SECRET)
    expect(unused(loaded, env)).to.deep.equal([])
  })
})
