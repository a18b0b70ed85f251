import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { effective, unused } from '../../config/effective.ts'
import type { Environment } from '../../config/environment.ts'
import { loadConfig } from '../../config/load.ts'
import { temporaryFolder } from '../support/databases.ts'

const shown = async (env: Environment): Promise<Record<string, string[]>> => {
  const lines = effective(await loadConfig(env), env)
    .trim()
    .split('\n')
  return Object.fromEntries(
    lines.map((line) => line.split(/ {2,}/)).map(([key = '', ...rest]) => [key, rest]),
  )
}

describe('the effective configuration', () => {
  it('says of each setting where it comes from', async () => {
    const file = join(temporaryFolder(), 'wamux.yaml')
    writeFileSync(
      file,
      'port: 1234\nhost: 0.0.0.0\nplugins: { webhook: { config: { parallel: 4, timeoutMs: 1000 } } }\n',
    )
    const lines = await shown({ WAMUX_CONFIG: file, WAMUX_PORT: '4321', WAMUX_WEBHOOK_PARALLEL: '5' })
    expect(lines['port']).to.deep.equal(['4321', 'environment WAMUX_PORT'])
    expect(lines['host']).to.deep.equal(['0.0.0.0', `file ${file}`])
    expect(lines['bodyLimit']).to.deep.equal(['67108864', 'default'])
    expect(lines['webhook.parallel']).to.deep.equal(['5', 'environment WAMUX_WEBHOOK_PARALLEL'])
    expect(lines['webhook.timeoutMs']).to.deep.equal(['1000', `file ${file}`])
    expect(lines['media.ffmpeg']).to.deep.equal(['ffmpeg', 'default'])
  })

  it('shows no secret', async () => {
    const file = join(temporaryFolder(), 'token')
    const secret = '7d1f0b52c94e4f0f8a6b3c2d9e5f1a08'
    writeFileSync(file, secret)
    const env = {
      WAMUX_ADMIN_TOKEN_FILE: file,
      WAMUX_KEYS: `k1:${secret}`,
      DATABASE_URL: `postgres://wamux:${secret}@db/wamux?password=${secret}&ssl=true`,
    }
    expect(effective(await loadConfig(env), env)).not.to.include(secret)
    const lines = await shown(env)
    expect(lines['adminToken']).to.deep.equal(['********', 'environment WAMUX_ADMIN_TOKEN_FILE'])
    expect(lines['databaseUrl']?.[0]).to.equal(
      'postgres://wamux:********@db/wamux?password=********&ssl=true',
    )
  })

  it('masks texts alone: a switch named after a secret is shown', async () => {
    const env = { WAMUX_WEBHOOK_INCLUDE_TOKEN: 'true' }
    const lines = await shown(env)
    expect(lines['webhook.includeToken']).to.deep.equal(['true', 'environment WAMUX_WEBHOOK_INCLUDE_TOKEN'])
  })

  it('names variables that set nothing', async () => {
    const env = {
      WAMUX_PROT: '1',
      WAMUX_PROFILE: 'minimal',
      WAMUX_MESSAGES_KEEP_DAYS: '3',
      WAMUX_KEYS_FILE: '',
      PATH: '/bin',
    }
    expect(unused(await loadConfig(env), env)).to.deep.equal(['WAMUX_PROT', 'WAMUX_MESSAGES_KEEP_DAYS'])
  })
})
