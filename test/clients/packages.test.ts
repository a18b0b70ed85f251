import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { sign } from '../../plugins/webhook/formats/sign.ts'
import { documents } from '../docs/blocks.ts'
import { temporaryFolder } from '../support/databases.ts'
import { makeClients } from './generate.ts'
import { needLanguage, PHP, PYTHON, runs } from './languages.ts'

interface Case {
  readonly name: string
  readonly isRight: boolean
  readonly secret: string
  readonly now: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

const blocks = documents.flatMap((document) => document.blocks)
const version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version

describe('the clients in other languages', function () {
  this.timeout(180_000)
  before(makeClients)

  describe('wamux for Python', () => {
    const folder = 'plugins/docs/clients/python'
    let python: string
    before(function () {
      python = needLanguage(this, PYTHON)
    })

    it('passes its own tests', () => {
      run(python, ['-m', 'unittest', 'discover', 'tests'], folder)
    })

    it('is typed as strictly as mypy can ask, down to Python 3.9', function () {
      if (!runs('mypy', ['--version'])) return this.skip()
      const cache = mkdtempSync(join(temporaryFolder(), 'mypy-'))
      run('mypy', ['--strict', '--python-version', '3.9', '--cache-dir', cache, 'wamux'], folder)
    })

    it('has the version of wamux', () => {
      expect(readFileSync(join(folder, 'pyproject.toml'), 'utf8')).to.include(`\nversion = "${version}"\n`)
    })

    for (const { file, line, text } of blocks.filter(({ language }) => language === 'py'))
      it(`compiles ${file}:${line}`, () => {
        run(python, ['-c', 'import sys; compile(sys.stdin.read(), "README", "exec")'], folder, text)
      })
  })

  describe('wamux/client for PHP', () => {
    const folder = 'plugins/docs/clients/php'
    let php: string
    before(function () {
      php = needLanguage(this, PHP)
    })

    it('passes its own tests', function () {
      if (!runs('phpunit', ['--version'])) return this.skip()
      run('phpunit', ['--no-configuration', '--bootstrap', 'tests/autoload.php', 'tests'], folder)
    })

    for (const { file, line, text } of blocks.filter(({ language }) => language === 'php'))
      it(`compiles ${file}:${line}`, () => {
        run(php, ['-l'], folder, text)
      })
  })

  for (const language of ['python', 'php'])
    it(`are tested in ${language} with signatures as the gateway makes them`, () => {
      const file = `plugins/docs/clients/${language}/tests/signatures.json`
      const [right, ...others] = JSON.parse(readFileSync(file, 'utf8')) as Case[]
      if (!right) throw new Error(`${file} is empty`)
      const { secret, body, headers, now } = right
      const made = sign(Buffer.from(body), secret, {
        id: String(headers['webhook-id']),
        now: now * 1000,
        oldSecret: undefined,
      })
      expect(headers['webhook-signature']).to.equal(made['webhook-signature'])
      expect(others.filter(({ isRight }) => !isRight)).to.have.length.greaterThan(8)
    })
})

/** Throws with what the program complains about. */
function run(command: string, args: readonly string[], cwd: string, input = ''): void {
  execFileSync(command, args, { cwd, input, stdio: 'pipe', timeout: 120_000 })
}
