import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'

const MODULES = resolve('node_modules')

/** wamux as npm installs it where sqlite3 could be neither downloaded nor compiled. */
function installWithoutCompiledPart(): string {
  const folder = join(temporaryFolder(), 'wamux')
  const modules = join(folder, 'node_modules')
  mkdirSync(join(modules, 'sqlite3'), { recursive: true })
  cpSync('dist', join(folder, 'dist'), { recursive: true })
  cpSync('package.json', join(folder, 'package.json'))
  for (const name of readdirSync(MODULES))
    if (name !== 'sqlite3') symlinkSync(join(MODULES, name), join(modules, name))
  for (const part of ['package.json', 'lib'])
    cpSync(join(MODULES, 'sqlite3', part), join(modules, 'sqlite3', part), { recursive: true })
  return folder
}

describe('without the compiled part of sqlite3', () => {
  let folder: string
  before(() => {
    folder = installWithoutCompiledPart()
  })

  const run = (command: string, env: Record<string, string>): { status: number | null; text: string } => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(folder, 'dist/config/cli/main.js'), ...command.split(' ')],
      {
        cwd: temporaryFolder(),
        env: { PATH: process.env['PATH'], WAMUX_PORT: '0', LOG_LEVEL: 'error', ...env },
        encoding: 'utf8',
        timeout: 60_000,
      },
    )
    return { status, text: stdout + stderr }
  }

  it('a start ends with one sentence that says what to do, on a new and on an existing database', () => {
    const WAMUX_DATA_DIR = join(temporaryFolder(), 'data')
    for (const isNew of [true, false]) {
      if (!isNew) writeFileSync(join(WAMUX_DATA_DIR, 'wamux.sqlite'), '')
      const { status, text } = run('start', { WAMUX_DATA_DIR })
      expect(status, text).to.equal(1)
      expect(text.trim().split('\n'), text).to.have.length(1)
      expect(text)
        .to.include('the compiled part of sqlite3 is missing; run "npm rebuild sqlite3"')
        .and.include('DATABASE_URL')
    }
  })

  it('says of one for another system that it is for another system', () => {
    const release = join(folder, 'node_modules/sqlite3/build/Release')
    mkdirSync(release, { recursive: true })
    writeFileSync(join(release, 'node_sqlite3.node'), 'of another system')
    const { status, text } = run('start', { WAMUX_DATA_DIR: join(temporaryFolder(), 'data') })
    expect(status, text).to.equal(1)
    expect(text.trim().split('\n'), text).to.have.length(1)
    expect(text).to.include('the compiled part of sqlite3 is for another system').and.include('npm rebuild')
  })

  it('commands that need no SQLite work', () => {
    expect(run('check', {})).to.include({ status: 0 })
    const WAMUX_DATA_DIR = temporaryFolder()
    writeFileSync(join(WAMUX_DATA_DIR, 'wamux.sqlite'), '')
    const { status, text } = run('doctor --clock http://127.0.0.1:9', { WAMUX_DATA_DIR })
    expect(status, text).to.equal(1)
    expect(text)
      .to.include('of sqlite3 is')
      .and.not.match(/^\s+at /m)
  })
})
