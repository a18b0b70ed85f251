import { execFile } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/databases.ts'
import { mainOf } from '../support/process.ts'

interface Ended {
  code: number
  output: string
  errors: string
}

function check(env: Record<string, string>): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...mainOf(), 'check'],
      { env: { PATH: process.env['PATH'], ...env } },
      (error, output, errors) => resolve({ code: Number(error?.code ?? 0), output, errors }),
    )
  })
}

describe('wamux check', () => {
  it('prints what is in effect and what is on, and touches nothing', async () => {
    const dataDir = join(temporaryFolder(), 'data')
    const keys = `k1:${Buffer.alloc(32, 1).toString('base64')}`
    const env = { WAMUX_DATA_DIR: dataDir, WAMUX_PROFILE: 'minimal', WAMUX_KEYS: keys, WAMUX_PROT: '1' }
    const { code, output } = await check(env)
    expect(code).to.equal(0)
    expect(output).to.match(/^port +8080 +default$/m)
    expect(output).to.match(/^profile +minimal +environment WAMUX_PROFILE$/m)
    expect(output).to.include('not used: WAMUX_PROT')
    expect(output).to.match(/^ok: 11 plugins, \d+ routes$/m)
    expect(output).not.to.include(keys)
    expect(existsSync(dataDir)).to.equal(false)
  })

  it('names a plugin that is switched off and that there is not', async () => {
    const file = join(temporaryFolder(), 'wamux.yaml')
    writeFileSync(file, 'plugins: { labls: false, labels: false }')
    const { output } = await check({ WAMUX_CONFIG: file })
    expect(output.match(/^not used: .*/gm)).to.deep.equal([
      'not used: plugins.labls is not a setting of anything enabled',
    ])
  })

  it('fails with the key and what is allowed', async () => {
    const { code, errors } = await check({ WAMUX_PROFILE: 'some' })
    expect(code).to.equal(1)
    expect(errors).to.include('"profile" must be equal to one of the allowed values: minimal, standard, all')
    const broken = await check({ WAMUX_KEYS: 'short' })
    expect(broken).to.include({ code: 1 })
    expect(broken.errors).to.include('keys: each must be <id>:<base64 of 32 bytes>')
  })
})
